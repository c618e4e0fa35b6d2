// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.columns;

import java.util.Collections;
import java.util.Iterator;
import org.apache.spark.TaskContext;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.types.Schema;
import org.arbalest.spark.ColumnFunction;
import org.arbalest.spark.internal.task.Pulls;
import org.arbalest.spark.internal.task.SparkTask;
import org.arbalest.spark.internal.task.TaskMemory;
import org.jspecify.annotations.Nullable;

/** The call of a user's function on the columns of a task. */
final class TaskColumns {
  private TaskColumns() {}

  /** The batches of a partition, one after the other. */
  @FunctionalInterface
  interface Batches {
    /** Returns the next batch, which passes to the caller, or null at the end. */
    @Nullable
    RecordBatch next();
  }

  /** A factory of batches with buffers in a task's memory. */
  @FunctionalInterface
  interface Maker {
    Batches in(TaskMemory memory);
  }

  /**
   * Returns the function's result for the columns. They are closed at the end of the task at the latest, because the
   * result may read them until then.
   */
  static <T extends @Nullable Object> Iterator<T> apply(ColumnFunction<T> function, Schema schema, Maker maker)
      throws Exception {
    SparkTask task = SparkTask.of(TaskContext.get());
    TaskMemory memory = task.mainMemory();
    var source = new TaskSource(task, maker.in(memory));
    RecordBatchReader reader = task.closeAtEnd(RecordBatchReader.of(schema, source));
    source.reader = reader;
    T made;
    try {
      made = function.apply(task, reader);
    } catch (Throwable t) {
      try {
        task.end(source.pulls);
      } catch (RuntimeException second) {
        t.addSuppressed(second);
      }
      throw t;
    }
    if (!(made instanceof RecordBatchReader)) task.leave(source.pulls); // an engine's threads may pull for a reader
    return Collections.singletonList(made).iterator();
  }

  /**
   * The source of the columns that a function pulls. If the function closes it before the task does, the task forgets
   * it.
   */
  private static final class TaskSource implements DeviceArrayReader.Source<RecordBatch> {
    private final SparkTask task;
    private final Batches batches;
    private final Pulls pulls;
    private @Nullable RecordBatchReader reader;

    TaskSource(SparkTask task, Batches batches) {
      this.task = task;
      this.batches = batches;
      this.pulls = task.pulls();
    }

    @Override
    public @Nullable RecordBatch next() {
      return pulls.pull(this::pulled);
    }

    private @Nullable RecordBatch pulled() {
      RecordBatch next = batches.next();
      try {
        task.mainMemory().count();
      } catch (Throwable t) {
        if (next != null) next.close();
        throw t;
      }
      return next;
    }

    @Override
    public void close() {
      RecordBatchReader closed = reader;
      if (closed != null) task.forget(closed);
      task.forget(pulls);
      task.mainMemory().giveBackFreed();
    }
  }
}
