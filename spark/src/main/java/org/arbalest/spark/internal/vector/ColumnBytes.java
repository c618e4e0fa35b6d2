// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.vector;

import java.util.List;
import org.arbalest.device.Column;
import org.arbalest.device.Field;
import org.arbalest.device.FlatType;
import org.arbalest.device.NestedType;
import org.arbalest.device.TimeUnit;

/** How many bytes the buffers of a column have for its rows: those of lists and dictionaries with all that is below them. */
final class ColumnBytes {
  private ColumnBytes() {}

  static long of(Column column) {
    long bitmap = column.nullCount() == 0 ? 0 : bits(column.length());
    return switch (column.field().type()) {
      case FlatType.NullType _ -> 0;
      case FlatType flat -> bitmap + flat(column, flat);
      case NestedType.ListType _ -> bitmap + 4 * (column.length() + 1) + of(column.items());
      case NestedType.LargeListType _ -> bitmap + 8 * (column.length() + 1) + of(column.items());
      case NestedType.ListViewType _ -> bitmap + 8 * column.length() + of(column.items());
      case NestedType.LargeListViewType _ -> bitmap + 16 * column.length() + of(column.items());
      case NestedType.FixedSizeListType _ -> bitmap + of(column.items());
      case NestedType.StructType(List<Field> fields) -> bitmap + children(column, fields.size());
      case NestedType.MapType _ -> bitmap + 4 * (column.length() + 1) + of(column.items());
      case NestedType.UnionType union -> throw new IllegalStateException("SparkTypes refuses " + union);
      case NestedType.DictionaryType(FlatType.IntType(int width, boolean _), Field _, boolean _) ->
          bitmap + width / 8 * column.length() + of(column.dictionary());
      case NestedType.RunEndEncodedType _ -> 4 * column.runs().values().length() + of(column.runs().values());
    };
  }

  private static long children(Column column, int count) {
    long bytes = 0;
    for (int i = 0; i < count; i++) bytes += of(column.column(i));
    return bytes;
  }

  private static long flat(Column column, FlatType type) {
    long rows = column.length();
    return switch (type) {
      case FlatType.NullType _ -> 0;
      case FlatType.BoolType _ -> bits(rows);
      case FlatType.IntType(int width, boolean _) -> rows * (width / 8);
      case FlatType.FloatType(int width) -> rows * (width / 8);
      case FlatType.DecimalType(int width, int _, int _) -> rows * (width / 8);
      case FlatType.FixedSizeBinaryType(int width) -> rows * width;
      case FlatType.Utf8Type _, FlatType.BinaryType _ -> rows == 0 ? 0 : 4 * (rows + 1) + span(column, 4);
      case FlatType.LargeUtf8Type _, FlatType.LargeBinaryType _ -> rows == 0 ? 0 : 8 * (rows + 1) + span(column, 8);
      case FlatType.Utf8ViewType _, FlatType.BinaryViewType _ -> 16 * rows + viewed(column);
      case FlatType.DateType(FlatType.DateUnit unit) -> unit == FlatType.DateUnit.DAY ? 4 * rows : 8 * rows;
      case FlatType.TimeType(TimeUnit unit) -> unit == TimeUnit.SECOND || unit == TimeUnit.MILLISECOND ? 4 * rows : 8 * rows;
      case FlatType.TimestampType _, FlatType.DurationType _ -> 8 * rows;
      case FlatType.IntervalType(FlatType.IntervalUnit unit) ->
          switch (unit) {
            case YEAR_MONTH -> 4 * rows;
            case DAY_TIME -> 8 * rows;
            case MONTH_DAY_NANO -> 16 * rows;
          };
    };
  }

  /** What is between the first row's offset and the last one's end. */
  private static long span(Column column, int width) {
    long first = column.bufferAddress(1) + width * column.offset();
    long last = first + width * column.length();
    return width == 4 ? Memory.getInt(last) - Memory.getInt(first) : Memory.getLong(last) - Memory.getLong(first);
  }

  /** All buffers of bytes that views may point into: their sizes are in the buffer behind them. */
  private static long viewed(Column column) {
    int buffers = column.bufferCount() - 3;
    long sizes = column.bufferAddress(buffers + 2);
    long bytes = 0;
    for (int i = 0; i < buffers; i++) bytes += Memory.getLong(sizes + 8L * i);
    return bytes;
  }

  private static long bits(long count) {
    return (count + 7) / 8;
  }
}
