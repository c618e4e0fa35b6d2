// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.source;

import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.spark.ColumnPartition;
import org.arbalest.spark.internal.task.Failures;
import org.arbalest.spark.internal.task.SparkTask;
import org.arbalest.spark.internal.vector.ArrowBatches;

/**
 * A reader of one partition in a task. It is closed at the end of its data, or with the task, even if the task fails or
 * is killed. Spark closes it again later.
 */
final class ColumnsReader implements PartitionReader<ColumnarBatch> {
  private final ArrowBatches batches;

  private ColumnsReader(ArrowBatches batches) {
    this.batches = batches;
  }

  static ColumnsReader open(ColumnPartition partition, SparkTask task, StructType type, boolean truncatesNanos) {
    RecordBatchReader reader = Failures.unchecked(() -> partition.open(task), "opening partition " + task.partition());
    if (reader == null) throw new IllegalStateException(
        "opening partition " + task.partition()
            + " returned null instead of a reader; a reader without batches is "
            + "RecordBatchReader.of(schema, List.of())");
    return new ColumnsReader(ArrowBatches.of(reader, task, true, type, truncatesNanos));
  }

  @Override
  public boolean next() {
    return batches.next();
  }

  @Override
  public ColumnarBatch get() {
    return batches.get();
  }

  @Override
  public CustomTaskMetric[] currentMetricsValues() {
    return SourceMetrics.of(batches);
  }

  @Override
  public void close() {
    batches.close();
  }
}
