// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.vector;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.sql.types.DataType$;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Schema;
import org.arbalest.spark.internal.task.Cancellable;
import org.arbalest.spark.internal.task.SparkTask;
import org.arbalest.spark.internal.task.TaskMemory;
import org.arbalest.spark.internal.task.TaskWatch;
import org.jspecify.annotations.Nullable;

/**
 * A stream in the form that Spark reads: one batch object, which displays the arrays one after the other. Used by the
 * task's thread.
 */
public final class ArrowBatches implements AutoCloseable, Cancellable {
  private final RecordBatchReader reader;
  private final TaskWatch watch;

  private final ArrowBatch batch;
  private final SparkTask task;
  private final TaskMemory memory;

  /**
   * Whether arrays may be memory of another owner, which must be counted while Spark reads it. Memory of a function's
   * arrays was counted when it was made.
   */
  private final boolean isSource;

  /**
   * Whether the stream was on the task's device and is copied as a stream, into the task's memory. A source's stream is
   * copied ahead of Spark. A function's stream is copied in the task's thread, because it may pull from Spark's own
   * iterators. In other streams each array is copied when it is pulled.
   */
  private final boolean isCopied;

  private @Nullable RecordBatch array;
  private boolean isOver;
  private long batches;
  private long rows;
  private long bytes;
  private long waited;
  private long copied;
  private long visibleBytes;

  private ArrowBatches(RecordBatchReader reader, SparkTask task, boolean isSource, ArrowVector[] vectors) {
    this.isCopied = task.isOnDevice(reader);
    this.reader = isCopied ? reader.copyTo(task.mainMemory().manager(), task.stream(), isSource ? 2 : 0) : reader;
    this.task = task;
    this.memory = task.mainMemory();
    this.isSource = isSource;
    this.batch = new ArrowBatch(vectors);
    this.watch = TaskWatch.over(task.context(), this.reader);
  }

  /**
   * Takes over a stream, even if this method throws. The stream is closed at its end, or with the task, and cancelled
   * when the task is killed.
   *
   * @param isSource whether the stream belongs to a source, or to a function's result
   * @param type the columns that Spark reads, by their names
   * @throws IllegalArgumentException if the stream has other columns, with their names and both types
   */
  public static ArrowBatches of(RecordBatchReader reader, SparkTask task, boolean isSource, StructType type,
      boolean truncatesNanos) {
    try {
      return task.closeAtEnd(open(reader, task, isSource, type, truncatesNanos));
    } catch (Throwable t) {
      closeAfter(t, reader);
      throw t;
    }
  }

  private static void closeAfter(Throwable t, RecordBatchReader reader) {
    try {
      reader.close();
    } catch (RuntimeException second) {
      t.addSuppressed(second);
    }
  }

  private static ArrowBatches open(RecordBatchReader reader, SparkTask task, boolean isSource, StructType type,
      boolean truncatesNanos) {
    int[] columns = columns(reader.schema(), type);
    List<Field> fields = new ArrayList<>();
    for (int column : columns) fields.add(reader.schema().fields().get(column));
    StructType read = SparkTypes.of(Schema.of(fields), truncatesNanos);
    for (int i = 0; i < columns.length; i++) check(fields.get(i), read.fields()[i], type.fields()[i]);
    ArrowVector[] vectors = Vectors.of(fields, read, truncatesNanos);
    RecordBatchReader selected = hasOnly(columns, reader.schema()) ? reader : reader.select(columns);
    try {
      return new ArrowBatches(selected, task, isSource, vectors);
    } catch (Throwable t) {
      closeAfter(t, selected);
      throw t;
    }
  }

  private static boolean hasOnly(int[] columns, Schema schema) {
    return Arrays.equals(columns, IntStream.range(0, schema.fields().size()).toArray());
  }

  private static int[] columns(Schema schema, StructType type) {
    List<String> names = schema.fields().stream().map(Field::name).toList();
    int[] columns = new int[type.fields().length];
    for (int i = 0; i < columns.length; i++) {
      String name = type.fields()[i].name();
      columns[i] = names.indexOf(name);
      if (columns[i] != names.lastIndexOf(name))
        throw new IllegalArgumentException(
            "the reader has several columns " + name + ", but Spark needs exactly one: " + names);
      if (columns[i] < 0) throw new IllegalArgumentException(
          "the reader has no column " + name + ", which is in the schema; it has " + names);
    }
    return columns;
  }

  /**
   * Checks a column's type and nullability. Spark reads a column that the schema declares non-nullable without a check
   * for nulls.
   */
  private static void check(Field field, StructField read, StructField wanted) {
    if (!DataType$.MODULE$.equalsIgnoreCompatibleNullability(read.dataType(), wanted.dataType())) {
      throw new IllegalArgumentException("the reader has " + field.type() + " as column " + read.name()
          + ", of Spark's type " + read.dataType().catalogString()
          + ", which is " + wanted.dataType().catalogString() + " in the schema");
    }
    if (read.nullable() && !wanted.nullable()) {
      throw new IllegalArgumentException("column " + read.name()
          + " may have nulls in the reader, but not in the schema: the reader's field needs withNullable(false), "
          + "or the schema's withNullable(true)");
    }
  }

  /** Displays the next array, in place of the one before. Returns false at the end, where the stream is closed. */
  public boolean next() {
    if (isOver) return false;
    release();
    long start = System.nanoTime();
    long made = memory.madeBytes();
    RecordBatch next = reader.next();
    waited += System.nanoTime() - start;
    if (next == null) {
      close();
      return false;
    }
    RecordBatch here = inMainMemory(next);
    try (here) {
      array = here.pushDownNulls(); // Spark reads columns, not structs
    }
    batch.show(array);
    batches++;
    rows += array.length();
    long size = batch.bytes();
    bytes += size;
    if (isSource) count(size, isCopied || here != next, memory.madeBytes() - made);
    else memory.count();
    return true;
  }

  /** Counts the array's memory. Memory that was made by the task's own manager is counted anyway. */
  private void count(long size, boolean isOurs, long more) {
    if (isOurs || more >= size) {
      memory.count();
    } else {
      memory.show(size);
      visibleBytes = size;
    }
  }

  /** Returns the array in memory that the CPU can read. */
  private RecordBatch inMainMemory(RecordBatch next) {
    long start = System.nanoTime();
    RecordBatch here = next;
    try {
      if (!next.device().isCpuAccessible()) {
        try (next) {
          here = next.copyTo(memory.manager(), next.device().defaultStream());
        }
      }
      here.synchronize();
    } catch (Throwable t) {
      here.close();
      throw t;
    }
    copied += System.nanoTime() - start;
    return here;
  }

  /** Returns the batch, which is the same object each time. */
  public ColumnarBatch get() {
    return batch;
  }

  /** Returns the number of arrays so far. */
  public long count() {
    return batches;
  }

  /** Returns the number of rows in these arrays. */
  public long rows() {
    return rows;
  }

  /** Returns the number of bytes in these arrays, of the columns that Spark reads. */
  public long bytes() {
    return bytes;
  }

  /** Returns the time of waiting for the stream, in nanoseconds. */
  public long waitedNanos() {
    return waited;
  }

  /** Returns the time of waiting for copies from a device, in nanoseconds. */
  public long copiedNanos() {
    return copied;
  }

  private void release() {
    RecordBatch current = array;
    array = null;
    batch.close();
    if (current != null) current.close();
    long before = visibleBytes;
    visibleBytes = 0;
    if (before != 0) memory.hide(before);
  }

  /** Cancels pulls of a function's thread at the end of the task. The memory that the thread reads stays open. */
  @Override
  public void cancel() {
    reader.close();
  }

  @Override
  public void close() {
    isOver = true;
    task.forget(this);
    watch.close();
    try {
      try (reader) {
        release();
      }
    } finally {
      memory.giveBackFreed(); // the last batch was counted before it was freed
    }
  }
}
