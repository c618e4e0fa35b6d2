// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.columns;

import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.builders.BatchBuilder;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.types.Field;
import org.jspecify.annotations.Nullable;

/**
 * Makes batches of rows: numbers, and what else the kind of rows allows, are gathered, all else is appended value by
 * value, before the next row is asked for, as Spark may use its object again. One task's.
 */
abstract sealed class RowBatchWriter<R> permits InternalRowWriter, ObjectRowWriter {
  private final List<Field> fields;
  private final MemoryManager memory;

  /** Of each column; null where it has no numbers. */
  final @Nullable NumberColumn[] numbers;

  RowBatchWriter(StructType type, Function<DataType, @Nullable NumberColumn> numbers, MemoryManager memory) {
    this.fields = ArrowTypes.of(type).fields();
    this.numbers = Stream.of(type.fields()).map(field -> numbers.apply(field.dataType())).toArray(NumberColumn[]::new);
    this.memory = memory;
  }

  /** A batch begins. */
  abstract void begin();

  /**
   * Takes the next rows: numbers and booleans into {@link #numbers}, which has been flushed, all else into the columns.
   *
   * @return how many, at most as many as are asked for; fewer if the batch is full, or there are no more
   */
  abstract int take(Iterator<R> from, int most, ColumnBuilder[] columns);

  /** A batch of the next rows, at least one. */
  final DeviceArray next(Iterator<R> from, int mostRows) {
    if (fields.isEmpty()) return count(from, mostRows);
    try (BatchBuilder builder = BatchBuilder.of(memory)) {
      var columns = new ColumnBuilder[fields.size()];
      for (int i = 0; i < columns.length; i++) columns[i] = builder.column(fields.get(i));
      for (NumberColumn column : numbers) {
        if (column != null) column.clear();
      }
      begin();
      for (int left = mostRows; left > 0;) {
        int most = Math.min(left, NumberColumn.ROWS);
        int rows = take(from, most, columns);
        for (int i = 0; i < columns.length; i++) {
          NumberColumn column = numbers[i];
          if (column != null) column.flush(rows, columns[i]);
        }
        if (rows < most) break;
        left -= rows;
      }
      return builder.build();
    }
  }

  /** Rows without columns. */
  private DeviceArray count(Iterator<R> from, int mostRows) {
    int rows = 0;
    for (; rows < mostRows && from.hasNext(); rows++) from.next();
    try (BatchBuilder builder = BatchBuilder.of(memory, rows)) {
      return builder.build();
    }
  }
}
