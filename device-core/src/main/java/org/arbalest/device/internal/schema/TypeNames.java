// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.schema;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Extension;
import org.arbalest.device.types.Extension.Other;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.BinaryType;
import org.arbalest.device.types.FlatType.BinaryViewType;
import org.arbalest.device.types.FlatType.BoolType;
import org.arbalest.device.types.FlatType.DateType;
import org.arbalest.device.types.FlatType.DateUnit;
import org.arbalest.device.types.FlatType.DecimalType;
import org.arbalest.device.types.FlatType.DurationType;
import org.arbalest.device.types.FlatType.FixedSizeBinaryType;
import org.arbalest.device.types.FlatType.FloatType;
import org.arbalest.device.types.FlatType.IntType;
import org.arbalest.device.types.FlatType.IntervalType;
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
import org.arbalest.device.types.ArrowTimeUnit;
import org.jspecify.annotations.Nullable;

/** Readable names of types: {@code int64}, {@code list<item: utf8>}. */
public final class TypeNames {
  private TypeNames() {}

  /** Returns the name of a field's type. For an extension type it is the name and the storage type. */
  public static String of(Field field) {
    Extension extension = field.extension();
    return extension == null ? of(field.type()) : extension.name() + " (" + of(field.type()) + ")";
  }

  /**
   * Returns a short name for the head of a table: the name alone for a canonical extension type, and the type of the
   * values for a dictionary.
   */
  public static String brief(Field field) {
    Extension extension = field.extension();
    if (extension != null) return extension instanceof Other ? of(field) : extension.name();
    return field.type() instanceof DictionaryType encoded ? "dictionary<" + brief(encoded.values()) + ">"
        : of(field.type());
  }

  public static String of(DataType type) {
    return switch (type) {
      case NullType _ -> "null";
      case BoolType _ -> "bool";
      case IntType(int bits, boolean signed) -> (signed ? "int" : "uint") + bits;
      case FloatType(int bits) -> "float" + bits;
      case DecimalType(int bits, int precision, int scale) -> "decimal" + bits + "(" + precision + ", " + scale + ")";
      case Utf8Type _ -> "utf8";
      case LargeUtf8Type _ -> "large_utf8";
      case Utf8ViewType _ -> "utf8_view";
      case BinaryType _ -> "binary";
      case LargeBinaryType _ -> "large_binary";
      case BinaryViewType _ -> "binary_view";
      case FixedSizeBinaryType(int width) -> "fixed_size_binary[" + width + "]";
      case DateType(DateUnit unit) -> unit == DateUnit.DAY ? "date32" : "date64";
      case TimeType(ArrowTimeUnit unit) ->
          (unit == ArrowTimeUnit.SECOND || unit == ArrowTimeUnit.MILLISECOND ? "time32[" : "time64[") + symbol(unit)
              + "]";
      case TimestampType(ArrowTimeUnit unit, @Nullable String zone) ->
          "timestamp[" + symbol(unit) + (zone == null ? "]" : ", tz=" + zone + "]");
      case DurationType(ArrowTimeUnit unit) -> "duration[" + symbol(unit) + "]";
      case IntervalType(var unit) -> unit.name().toLowerCase(Locale.ROOT) + "_interval";
      case ListType list -> "list" + children(list);
      case LargeListType list -> "large_list" + children(list);
      case ListViewType list -> "list_view" + children(list);
      case LargeListViewType list -> "large_list_view" + children(list);
      case FixedSizeListType list -> "fixed_size_list" + children(list) + "[" + list.size() + "]";
      case StructType struct -> "struct" + children(struct);
      case MapType map -> "map" + children(map);
      case UnionType union -> union.mode().name().toLowerCase(Locale.ROOT) + "_union" + children(union);
      case RunEndEncodedType runs -> "run_end_encoded" + children(runs);
      case DictionaryType(IntType index, Field values, boolean ordered) ->
          "dictionary<values=" + of(values) + ", indices=" + of(index) + (ordered ? ", ordered>" : ">");
    };
  }

  /** Returns the name without nested types: {@code list}, {@code dictionary}, {@code int64}. */
  static String kind(DataType type) {
    return of(type).split("<", 2)[0];
  }

  private static String children(DataType type) {
    List<Field> fields = type.children();
    return fields.stream().map(Field::toString).collect(Collectors.joining(", ", "<", ">"));
  }

  private static String symbol(ArrowTimeUnit unit) {
    return unit == ArrowTimeUnit.SECOND ? "s" : Format.letter(unit) + "s";
  }
}
