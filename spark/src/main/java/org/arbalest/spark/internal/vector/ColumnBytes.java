// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.vector;

import java.util.List;
import org.arbalest.device.DeviceException;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.columns.Column;
import org.arbalest.device.types.ArrowTimeUnit;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType;
import org.arbalest.device.types.NestedType;

/**
 * The number of bytes of the buffers that a column has for its rows, with the items of its lists and the bytes of its
 * text, and with all of a dictionary and all runs.
 */
public final class ColumnBytes {
  private static final int LONGEST_INLINE = 12;

  private ColumnBytes() {}

  /** Returns the bytes of all columns of a batch. */
  public static long of(RecordBatch batch) {
    long bytes = 0;
    for (int i = 0; i < batch.schema().fields().size(); i++) bytes += of(batch.column(i));
    return bytes;
  }

  public static long of(Column column) {
    return of(column, 0, column.length());
  }

  /** Returns the bytes of some rows: a list has only some of the items. */
  private static long of(Column column, long from, long rows) {
    long bitmap = column.nullCount() == 0 ? 0 : bits(rows);
    long at = column.offset() + from;
    return switch (column.field().type()) {
      case FlatType.NullType _ -> 0;
      case FlatType flat -> bitmap + flat(column, flat, from, rows);
      case NestedType.ListType _, NestedType.MapType _ -> bitmap + offsets(rows, 4) + items(column, at, rows, 4);
      case NestedType.LargeListType _ -> bitmap + offsets(rows, 8) + items(column, at, rows, 8);
      case NestedType.ListViewType _ -> bitmap + 8 * rows + viewedItems(column, from, rows, 4);
      case NestedType.LargeListViewType _ -> bitmap + 16 * rows + viewedItems(column, from, rows, 8);
      case NestedType.FixedSizeListType(Field _, int size) -> bitmap + of(column.items(), size * at, size * rows);
      case NestedType.StructType(List<Field> fields) -> bitmap + children(column, fields.size(), from, rows);
      case NestedType.UnionType union -> throw new IllegalStateException("SparkTypes refuses " + union);
      case NestedType.DictionaryType(FlatType.IntType(int width, boolean _), Field _, boolean _) ->
          bitmap + width / 8 * rows + of(column.dictionary());
      case NestedType.RunEndEncodedType _ -> 4 * column.runs().values().length() + of(column.runs().values());
    };
  }

  private static long children(Column column, int count, long from, long rows) {
    long bytes = 0;
    for (int i = 0; i < count; i++) bytes += of(column.column(i), from, rows);
    return bytes;
  }

  private static long flat(Column column, FlatType type, long from, long rows) {
    return switch (type) {
      case FlatType.NullType _ -> 0;
      case FlatType.BoolType _ -> bits(rows);
      case FlatType.IntType(int width, boolean _) -> rows * (width / 8);
      case FlatType.FloatType(int width) -> rows * (width / 8);
      case FlatType.DecimalType(int width, int _, int _) -> rows * (width / 8);
      case FlatType.FixedSizeBinaryType(int width) -> rows * width;
      case FlatType.Utf8Type _, FlatType.BinaryType _ -> offsets(rows, 4) + text(column, from, rows, 4);
      case FlatType.LargeUtf8Type _, FlatType.LargeBinaryType _ -> offsets(rows, 8) + text(column, from, rows, 8);
      case FlatType.Utf8ViewType _, FlatType.BinaryViewType _ -> 16 * rows + viewedText(column, from, rows);
      case FlatType.DateType(FlatType.DateUnit unit) -> unit == FlatType.DateUnit.DAY ? 4 * rows : 8 * rows;
      case FlatType.TimeType(ArrowTimeUnit unit) ->
          unit == ArrowTimeUnit.SECOND || unit == ArrowTimeUnit.MILLISECOND ? 4 * rows : 8 * rows;
      case FlatType.TimestampType _, FlatType.DurationType _ -> 8 * rows;
      case FlatType.IntervalType(FlatType.IntervalUnit unit) ->
          switch (unit) {
            case YEAR_MONTH -> 4 * rows;
            case DAY_TIME -> 8 * rows;
            case MONTH_DAY_NANO -> 16 * rows;
          };
    };
  }

  private static long offsets(long rows, int width) {
    return rows == 0 ? 0 : width * (rows + 1);
  }

  private static long text(Column column, long from, long rows, int width) {
    if (rows == 0) return 0;
    long at = column.offset() + from;
    return Math.max(0, integer(column, 1, at + rows, width) - integer(column, 1, at, width));
  }

  private static long items(Column column, long at, long rows, int width) {
    if (rows == 0) return 0;
    long first = integer(column, 1, at, width);
    return items(column, first, integer(column, 1, at + rows, width) - first);
  }

  /** Returns the bytes from the first item that a row refers to, to the last one. Null rows may refer to anything. */
  private static long viewedItems(Column column, long from, long rows, int width) {
    long first = Long.MAX_VALUE;
    long end = 0;
    for (long row = from; row < from + rows; row++) {
      if (column.isNull(row)) continue;
      long size = integer(column, 2, column.offset() + row, width);
      if (size == 0) continue;
      long start = integer(column, 1, column.offset() + row, width);
      first = Math.min(first, start);
      if (size < 0 || start > Long.MAX_VALUE - size) return items(column, start, size);
      end = Math.max(end, start + size);
    }
    return end == 0 ? 0 : items(column, first, end - first);
  }

  /** Returns the bytes of some items. A native producer's offsets may be wrong, so they are checked. */
  private static long items(Column column, long first, long count) {
    Column items = column.items();
    if (first >= 0 && count >= 0 && first <= items.length() - count) return of(items, first, count);
    throw DeviceException
        .invalid("column \"" + column.name() + "\": " + count + " items from " + first + " on, of " + items.length());
  }

  /** Returns the bytes of text outside the views. Views that share bytes count at most the existing bytes. */
  private static long viewedText(Column column, long from, long rows) {
    int buffers = column.bufferCount() - 3;
    long sizes = column.bufferAddress(buffers + 2);
    long all = 0;
    for (int i = 0; i < buffers; i++) all += Memory.getLong(sizes + 8L * i);
    boolean hasNulls = column.nullCount() != 0;
    long views = rows == 0 ? 0 : column.bufferAddress(1) + 16 * column.offset();
    long bytes = 0;
    for (long row = from; row < from + rows && bytes < all; row++) {
      int length = hasNulls && column.isNull(row) ? 0 : Memory.getInt(views + 16 * row);
      if (length > LONGEST_INLINE) bytes += length;
    }
    return Math.min(bytes, all);
  }

  private static long integer(Column column, int buffer, long at, int width) {
    long address = column.bufferAddress(buffer) + width * at;
    return width == 4 ? Memory.getInt(address) : Memory.getLong(address);
  }

  private static long bits(long count) {
    return (count + 7) / 8;
  }
}
