// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.columns;

import java.lang.foreign.MemorySegment;
import java.util.stream.Stream;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;
import org.arbalest.device.builders.ColumnBuilder;
import org.jspecify.annotations.Nullable;

/**
 * Text of one column, gathered from some internal rows in an array that is appended as a whole. Text that is too long
 * for the array is appended alone.
 */
final class TextColumn {
  /**
   * The size of the arrays in bytes, for all columns of a task and for one. The memory is not counted for the task, and
   * many tasks may have many columns.
   */
  private static final int ALL_BYTES = 1 << 22;

  private static final int MOST_BYTES = 1 << 16;
  private static final int LEAST_BYTES = 1 << 11;

  private static final int SHORT = 64;

  private final int[] offsets = new int[NumberColumn.ROWS + 1];
  private final byte[] bytes;
  private final MemorySegment allOffsets = MemorySegment.ofArray(offsets);
  private final MemorySegment allBytes;
  private final NullMask nulls = new NullMask();
  private int count;

  private TextColumn(int room) {
    this.bytes = new byte[room];
    this.allBytes = MemorySegment.ofArray(bytes);
  }

  /** Returns a text column for each column of a type; null for a column without text. */
  static @Nullable TextColumn[] all(StructType type) {
    long count = Stream.of(type.fields()).filter(TextColumn::isText).count();
    int room = Math.clamp(ALL_BYTES / Math.max(count, 1), LEAST_BYTES, MOST_BYTES);
    return Stream.of(type.fields()).map(field -> isText(field) ? new TextColumn(room) : null)
        .toArray(TextColumn[]::new);
  }

  private static boolean isText(StructField field) {
    return field.dataType() instanceof StringType;
  }

  /** Discards text that was not flushed. */
  void clear() {
    count = 0;
    nulls.clear();
  }

  /**
   * Adds the text of the next row. At most {@link NumberColumn#ROWS} rows fit between two calls of {@link #flush}. If
   * the array is full, the text gathered before is appended first.
   */
  void put(InternalRow row, int ordinal, ColumnBuilder to) {
    if (row.isNullAt(ordinal)) {
      nulls.set(count);
      offsets[count + 1] = offsets[count];
      count++;
      return;
    }
    UTF8String text = row.getUTF8String(ordinal);
    int size = text.numBytes();
    if (size > bytes.length - offsets[count]) flush(to);
    if (size > bytes.length) {
      ValueWriter.text(to, text);
      return;
    }
    int at = offsets[count];
    copy(text, size, at);
    offsets[++count] = at + size;
  }

  /** Copies short text by words: a call of Spark's method for any size takes longer. */
  private void copy(UTF8String text, int size, int at) {
    Object base = text.getBaseObject();
    long from = text.getBaseOffset();
    long to = (long) Platform.BYTE_ARRAY_OFFSET + at;
    if (size > SHORT) {
      Platform.copyMemory(base, from, bytes, to, size);
      return;
    }
    int done = 0;
    for (; done <= size - Long.BYTES; done += Long.BYTES)
      Platform.putLong(bytes, to + done, Platform.getLong(base, from + done));
    for (; done < size; done++) Platform.putByte(bytes, to + done, Platform.getByte(base, from + done));
  }

  /** Appends the gathered text. */
  void flush(ColumnBuilder to) {
    if (count == 0) return;
    long first = to.length();
    try {
      to.appendAll(allOffsets.asSlice(0, (count + 1L) * Integer.BYTES), allBytes.asSlice(0, offsets[count]));
    } catch (IllegalArgumentException _) { // some of the text is not valid UTF-8
      for (int i = 0; i < count; i++)
        ValueWriter.text(to, UTF8String.fromBytes(bytes, offsets[i], offsets[i + 1] - offsets[i]));
    }
    nulls.flush(to, first);
    count = 0;
  }
}
