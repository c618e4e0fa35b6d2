// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.source;

import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.arbalest.spark.internal.task.SparkTask;

/** A factory that opens partitions on an executor. */
record ArbalestReaderFactory(StructType type, boolean truncatesNanos) implements PartitionReaderFactory {
  @Override
  public boolean supportColumnarReads(InputPartition partition) {
    return true;
  }

  @Override
  public PartitionReader<InternalRow> createReader(InputPartition partition) {
    throw new UnsupportedOperationException("this source has columns, not rows");
  }

  @Override
  public PartitionReader<ColumnarBatch> createColumnarReader(InputPartition partition) {
    return ColumnsReader.open(((SourcePartition) partition).partition(), SparkTask.of(TaskContext.get()), type,
        truncatesNanos);
  }
}
