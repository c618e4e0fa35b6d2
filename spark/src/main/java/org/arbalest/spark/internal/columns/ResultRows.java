// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.columns;

import java.util.Collections;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructType;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.spark.internal.task.SparkTask;
import org.arbalest.spark.internal.vector.ArrowBatches;
import org.jspecify.annotations.Nullable;

/** The rows of a reader, one object for all rows of a batch. The reader is closed at its end, or with the task. */
final class ResultRows implements Iterator<InternalRow> {
  private final ArrowBatches batches;
  private final ResultMetrics metrics;
  private final ResultMetrics.Seen seen = new ResultMetrics.Seen();
  private Iterator<InternalRow> rows = Collections.emptyIterator();
  private boolean isOver;

  private ResultRows(ArrowBatches batches, ResultMetrics metrics) {
    this.batches = batches;
    this.metrics = metrics;
  }

  /** Takes over the reader. */
  static ResultRows of(@Nullable RecordBatchReader reader, StructType type, ResultMetrics metrics) {
    if (reader == null) throw new IllegalArgumentException(
        "the function of mapColumns returned null instead of a reader; a reader without batches is "
            + "RecordBatchReader.of(schema, List.of())");
    SparkTask task = SparkTask.of(TaskContext.get());
    return new ResultRows(ArrowBatches.of(reader, task, false, type, false), metrics);
  }

  @Override
  public boolean hasNext() {
    while (!rows.hasNext() && !isOver) {
      isOver = !batches.next();
      metrics.add(batches, seen);
      if (!isOver) rows = batches.get().rowIterator();
    }
    return rows.hasNext();
  }

  @Override
  public InternalRow next() {
    if (!hasNext()) throw new NoSuchElementException();
    return rows.next();
  }
}
