// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Extension.Bool8;
import org.arbalest.device.types.Extension.FixedShapeTensor;
import org.arbalest.device.types.Extension.TimestampWithOffset;
import org.arbalest.device.types.Extension.Uuid;
import org.arbalest.device.types.Extension.VariableShapeTensor;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.BinaryType;
import org.arbalest.device.types.FlatType.BinaryViewType;
import org.arbalest.device.types.FlatType.BoolType;
import org.arbalest.device.types.FlatType.DateType;
import org.arbalest.device.types.FlatType.DecimalType;
import org.arbalest.device.types.FlatType.DurationType;
import org.arbalest.device.types.FlatType.FixedSizeBinaryType;
import org.arbalest.device.types.FlatType.FloatType;
import org.arbalest.device.types.FlatType.IntType;
import org.arbalest.device.types.FlatType.IntervalType;
import org.arbalest.device.types.FlatType.IntervalUnit;
import org.arbalest.device.types.FlatType.LargeBinaryType;
import org.arbalest.device.types.FlatType.LargeUtf8Type;
import org.arbalest.device.types.FlatType.NullType;
import org.arbalest.device.types.FlatType.TimeType;
import org.arbalest.device.types.FlatType.TimestampType;
import org.arbalest.device.types.FlatType.Utf8Type;
import org.arbalest.device.types.FlatType.Utf8ViewType;
import org.arbalest.device.types.NestedType.DictionaryType;
import org.arbalest.device.types.NestedType.FixedSizeListType;
import org.arbalest.device.types.NestedType.LargeListType;
import org.arbalest.device.types.NestedType.LargeListViewType;
import org.arbalest.device.types.NestedType.ListType;
import org.arbalest.device.types.NestedType.ListViewType;
import org.arbalest.device.types.NestedType.MapType;
import org.arbalest.device.types.NestedType.RunEndEncodedType;
import org.arbalest.device.types.NestedType.StructType;
import org.arbalest.device.types.NestedType.UnionType;

/** Hints for error messages: the methods that append values to a column of a type. */
final class Appends {
  private Appends() {}

  static String to(Field field) {
    return switch (field.extension()) {
      case Uuid _ -> "append(UUID) and append(byte[]) take values";
      case Bool8 _ -> "append(boolean) and append(long) take values";
      case TimestampWithOffset _ -> "append(OffsetDateTime) takes values; or appendStruct(), and child(…) its fields";
      case FixedShapeTensor _ -> "appendTensor(…) takes values; or appendList(size), and items() the elements";
      case VariableShapeTensor _ -> "appendTensor(…) takes values; or appendStruct(), and child(…) its fields";
      case null, default -> to(field.type());
    };
  }

  private static String to(DataType type) {
    return switch (type) {
      case NullType _ -> "appendNull() alone appends to it";
      case BoolType _ -> "append(boolean) takes values";
      case IntType _ -> "append(long) takes values";
      case FloatType _ -> "append(double) and append(long) take values";
      case DecimalType _ -> "append(BigDecimal) and append(long) take values";
      case DateType _ -> "append(LocalDate) and append(long) take values";
      case TimeType _ -> "append(LocalTime) and append(long) take values";
      case TimestampType timestamp when timestamp.timezone() != null ->
          "append(Instant), append(ZonedDateTime) and append(long) take values";
      case TimestampType _ -> "append(LocalDateTime) and append(long) take values";
      case DurationType _ -> "append(Duration) and append(long) take values";
      case IntervalType(var unit) when unit == IntervalUnit.YEAR_MONTH ->
          "append(Period), append(Interval) and append(long) take values";
      case IntervalType _ -> "append(Interval) and append(Period) take values";
      case Utf8Type _, LargeUtf8Type _, Utf8ViewType _ -> "append(String) and append(MemorySegment) take values";
      case BinaryType _, LargeBinaryType _, BinaryViewType _, FixedSizeBinaryType _ ->
          "append(byte[]) and append(MemorySegment) take values";
      case ListType _, LargeListType _, ListViewType _, LargeListViewType _, FixedSizeListType _ ->
          "appendList(size) appends to it, and items() has the elements";
      case MapType _ -> "appendMap(size) appends to it, and keys() and values() have the entries";
      case StructType _ -> "appendStruct() appends to it, and child(…) has its fields";
      case UnionType _ -> "appendUnion(child) appends to it, and child(…) has the values";
      case DictionaryType encoded -> to(encoded.values());
      case RunEndEncodedType runs -> to(runs.values());
    };
  }
}
