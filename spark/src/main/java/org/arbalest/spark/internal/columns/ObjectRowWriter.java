// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.columns;

import java.util.Iterator;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructType;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.MemoryManager;

/** A writer that makes batches from rows of Spark's public API. */
final class ObjectRowWriter extends RowBatchWriter<Row> {
  private final ObjectWriter[] writers;

  ObjectRowWriter(StructType type, MemoryManager memory) {
    super(type, NumberColumn::ofObjects, memory);
    this.writers = ObjectWriter.all(type);
  }

  @Override
  void begin() {}

  @Override
  int take(Iterator<Row> from, int most, ColumnBuilder[] columns) {
    int rows = 0;
    for (; rows < most && from.hasNext(); rows++) {
      Row row = from.next();
      for (int i = 0; i < columns.length; i++) {
        NumberColumn column = numbers[i];
        if (column == null) {
          writers[i].appendNullable(columns[i], row.get(i));
        } else {
          column.put(rows, row, i);
        }
      }
    }
    return rows;
  }
}
