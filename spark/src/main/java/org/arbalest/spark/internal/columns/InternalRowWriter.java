// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.columns;

import java.util.Iterator;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.StructType;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.MemoryManager;
import org.jspecify.annotations.Nullable;

/** A writer that makes batches from Spark's internal rows. */
public final class InternalRowWriter extends RowBatchWriter<InternalRow> {
  private final ValueWriter[] writers;

  /** The text columns, one element for each column; null for a column without text. */
  private final @Nullable TextColumn[] texts;

  private final long mostBytes;
  private long bytes;

  /**
   * Creates a writer for rows of a type.
   *
   * @param mostBytes a batch ends when its rows have at least this number of bytes; rows of unknown size count as 0
   */
  public InternalRowWriter(StructType type, long mostBytes, MemoryManager memory) {
    super(type, NumberColumn::ofInternal, memory);
    this.writers = ValueWriter.all(type);
    this.texts = TextColumn.all(type);
    this.mostBytes = mostBytes;
  }

  @Override
  void begin() {
    bytes = 0;
    for (TextColumn column : texts) {
      if (column != null) column.clear();
    }
  }

  @Override
  int take(Iterator<InternalRow> from, int most, ColumnBuilder[] columns) {
    int rows = 0;
    long size = bytes;
    for (; rows < most && size < mostBytes && from.hasNext(); rows++) {
      InternalRow row = from.next();
      if (row instanceof UnsafeRow unsafe) size += unsafe.getSizeInBytes();
      for (int i = 0; i < columns.length; i++) {
        NumberColumn column = numbers[i];
        TextColumn text = texts[i];
        if (column != null) {
          column.put(rows, row, i);
        } else if (text != null) {
          text.put(row, i, columns[i]);
        } else {
          writers[i].appendNullable(columns[i], row, i);
        }
      }
    }
    for (int i = 0; i < columns.length; i++) {
      TextColumn text = texts[i];
      if (text != null) text.flush(columns[i]);
    }
    bytes = size;
    return rows;
  }
}
