// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.columns;

import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.builders.BatchBuilder;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.types.Field;
import org.jspecify.annotations.Nullable;

/**
 * A writer that makes batches from rows. Each belongs to one task.
 *
 * <p>Numbers, and other values that the kind of rows permits, are gathered. All other values are appended one by one
 * before the writer requests the next row, because Spark may reuse the row's object.
 */
public abstract sealed class RowBatchWriter<R> permits InternalRowWriter, ObjectRowWriter {
  private final List<Field> fields;
  private final MemoryManager memory;

  /** The number columns, one element for each column; null for a column without numbers. */
  final @Nullable NumberColumn[] numbers;

  RowBatchWriter(StructType type, Function<DataType, @Nullable NumberColumn> numbers, MemoryManager memory) {
    this.fields = ArrowTypes.of(type).fields();
    this.numbers = Stream.of(type.fields()).map(field -> numbers.apply(field.dataType())).toArray(NumberColumn[]::new);
    this.memory = memory;
  }

  /** Begins a batch. */
  abstract void begin();

  /**
   * Takes the next rows: numbers and booleans into {@link #numbers}, which has been flushed, all other values into the
   * columns.
   *
   * @return the number of rows, at most {@code most}; fewer if the batch is full, or if no rows are left
   */
  abstract int take(Iterator<R> from, int most, ColumnBuilder[] columns);

  /** Returns a batch of the next rows, at least one. */
  public final RecordBatch next(Iterator<R> from, int mostRows) {
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

  /** Returns a batch of rows without columns. */
  private RecordBatch count(Iterator<R> from, int mostRows) {
    int rows = 0;
    for (; rows < mostRows && from.hasNext(); rows++) from.next();
    try (BatchBuilder builder = BatchBuilder.of(memory, rows)) {
      return builder.build();
    }
  }
}
