// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.columns;

import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructType;
import org.arbalest.device.BatchBuilder;
import org.arbalest.device.ColumnBuilder;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.Field;
import org.arbalest.device.MemoryManager;

/** Makes batches of Spark's internal rows. */
final class RowBatchWriter {
  private final List<Field> fields;
  private final ValueWriter[] writers;
  private final RowBlock block = new RowBlock();
  private final MemoryManager memory;

  RowBatchWriter(StructType type, MemoryManager memory) {
    this.fields = ArrowTypes.of(type).fields();
    this.writers = ValueWriter.ofColumns(type);
    this.memory = memory;
  }

  /** A batch of the next rows, at least one; and no more when it has so many bytes. */
  DeviceArray next(Iterator<InternalRow> from, int mostRows, long mostBytes) {
    if (fields.isEmpty()) return count(from, mostRows, memory);
    try (BatchBuilder builder = memory.batchBuilder()) {
      var columns = new ColumnBuilder[fields.size()];
      for (int i = 0; i < columns.length; i++) columns[i] = builder.column(fields.get(i));
      long bytes = 0;
      for (int left = mostRows; left > 0 && bytes < mostBytes && from.hasNext();) {
        int rows = block.fill(from, left);
        for (int i = 0; i < columns.length; i++) writers[i].appendAll(columns[i], block.rows(), rows, i);
        left -= rows;
        bytes += block.bytes();
      }
      for (int i = 0; i < columns.length; i++) writers[i].flush(columns[i]);
      return builder.build();
    } finally {
      block.clear();
    }
  }

  /** Rows without columns. */
  static DeviceArray count(Iterator<?> from, int mostRows, MemoryManager memory) {
    int rows = 0;
    for (; rows < mostRows && from.hasNext(); rows++) from.next();
    try (BatchBuilder builder = memory.batchBuilder(rows)) {
      return builder.build();
    }
  }
}
