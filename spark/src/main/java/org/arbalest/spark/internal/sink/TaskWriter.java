// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.sink;

import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.DataWriterFactory;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.types.StructType;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.Devices;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.adbc.AdbcConnection;
import org.arbalest.device.adbc.AdbcException;
import org.arbalest.device.adbc.AdbcIngest;
import org.arbalest.device.adbc.AdbcIngest.Mode;
import org.arbalest.device.builders.BatchBuilder;
import org.arbalest.spark.internal.adbc.AdbcParts;
import org.arbalest.spark.internal.columns.InternalRowWriter;
import org.arbalest.spark.internal.task.SparkTask;
import org.arbalest.spark.internal.task.TaskMemory;
import org.arbalest.spark.internal.task.TaskWatch;

/** A writer of one task's rows into a staging table, one bulk ingest per batch, by one connection. */
final class TaskWriter implements DataWriter<InternalRow> {
  private final Factory of;
  private final long attempt;
  private long rows;

  private TaskWriter(Factory of, long attempt) {
    this.of = of;
    this.attempt = attempt;
  }

  /**
   * A factory of writers on executors.
   *
   * @param mostRows the most rows of a batch
   * @param mostBytes a batch ends when its rows have at least this number of bytes
   */
  record Factory(Staging staging, StructType type, int mostRows, long mostBytes) implements DataWriterFactory {
    @Override
    public DataWriter<InternalRow> createWriter(int partition, long task) {
      return new TaskWriter(this, task);
    }
  }

  /** The rows of a task's attempt, which the driver moves. */
  record Written(long attempt, long rows) implements WriterCommitMessage {}

  /** Writes one row by a connection of its own. Spark calls {@link #writeAll} instead. */
  @Override
  public void write(InternalRow row) {
    writeAll(List.of(row).iterator());
  }

  @Override
  public void writeAll(Iterator<InternalRow> all) {
    if (!all.hasNext()) return;
    TaskMemory memory = SparkTask.of(TaskContext.get()).mainMemory();
    var writer = new InternalRowWriter(of.type, of.mostBytes, memory.manager());
    AdbcIngest target = of.staging.ingest(Mode.APPEND);
    Thread caller = Thread.currentThread();
    of.staging.database().connected(connection -> {
      try (TaskWatch _ = TaskWatch.over(TaskContext.get(), () -> AdbcParts.cancel(connection, caller))) {
        while (all.hasNext()) {
          RecordBatch batch = writer.next(all, of.mostRows);
          write(connection, target, batch, memory);
          memory.giveBackFreed();
        }
      }
      return null;
    });
  }

  /** Writes a batch, and closes it. */
  private void write(AdbcConnection connection, AdbcIngest target, RecordBatch batch, TaskMemory memory) {
    long length = batch.length();
    RecordBatch numbered;
    try (batch) {
      memory.count();
      numbered = numbered(batch);
    }
    try {
      connection.ingest(target, numbered);
    } catch (AdbcException e) {
      throw of.staging.named("write rows for", e);
    }
    rows += length;
  }

  /** Returns the batch with the column of the attempt. */
  private RecordBatch numbered(RecordBatch batch) {
    var numbers = new long[Math.toIntExact(batch.length())];
    Arrays.fill(numbers, attempt);
    try (BatchBuilder builder = BatchBuilder.of(Devices.cpu(), numbers.length)) {
      builder.column(Staging.ATTEMPT).appendAll(numbers);
      try (RecordBatch column = builder.build(); DeviceArray values = column.retainChild(0)) {
        return batch.withColumn(Staging.ATTEMPT.name(), values);
      }
    }
  }

  @Override
  public WriterCommitMessage commit() {
    return new Written(attempt, rows);
  }

  /** Leaves the attempt's rows in the staging table: the driver does not move them. */
  @Override
  public void abort() {}

  @Override
  public void close() {}
}
