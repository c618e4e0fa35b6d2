// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read;

import java.util.List;
import org.arbalest.device.internal.schema.NumericText;
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

/** The getters that read each type, for checks and for hints in error messages. */
final class Getters {
  private Getters() {}

  /** Returns whether a getter reads a field; for a union, whether it reads at least one child. */
  static boolean read(Field field, Getter getter) {
    return switch (field.type()) {
      case DictionaryType encoded -> read(encoded.values(), getter);
      case RunEndEncodedType runs -> read(runs.values(), getter);
      case UnionType union -> getter == Getter.UNION || union.fields().stream().anyMatch(child -> read(child, getter));
      default -> of(field).contains(getter);
    };
  }

  /** Returns a hint: the getters that read a field. */
  static String text(Field field) {
    return switch (field.type()) {
      case NullType _ -> "only isNull and get read it";
      case StructType _ -> of(field).isEmpty() ? "column(…) has its fields, and get reads it"
          : reading(of(field)) + ", column(…) has its fields";
      case UnionType _ -> "getTypeId says which type a row has, whose getters read it, and so does get";
      case DictionaryType encoded -> text(encoded.values());
      case RunEndEncodedType runs -> text(runs.values());
      default -> reading(of(field));
    };
  }

  private static String reading(List<Getter> getters) {
    int last = getters.size() - 1;
    String names = String.join(", ", getters.subList(0, last).stream().map(getter -> getter.method).toList());
    return names + (last == 0 ? "" : " and ") + getters.get(last).method + (last == 0 ? " reads it" : " read it");
  }

  /** Returns the getters that read the values of a field, which is neither encoded nor a union. */
  private static List<Getter> of(Field field) {
    return switch (field.extension()) {
      case Uuid _ -> List.of(Getter.UUID, Getter.BYTES);
      case Bool8 _ -> List.of(Getter.BOOLEAN, Getter.LONG, Getter.INT, Getter.DECIMAL, Getter.DOUBLE);
      case TimestampWithOffset _ -> List.of(Getter.OFFSET_DATE_TIME);
      case FixedShapeTensor _ -> List.of(Getter.TENSOR, Getter.LIST, Getter.ANY);
      case VariableShapeTensor _ -> List.of(Getter.TENSOR);
      case null, default -> NumericText.isIn(field)
          ? List.of(Getter.DECIMAL, Getter.DOUBLE, Getter.STRING, Getter.BYTES) : of(field.type());
    };
  }

  private static List<Getter> of(DataType type) {
    return switch (type) {
      case NullType _ -> List.of(Getter.ANY);
      case BoolType _ -> List.of(Getter.BOOLEAN);
      case IntType _ -> List.of(Getter.LONG, Getter.INT, Getter.DECIMAL, Getter.DOUBLE);
      case DateType _ -> List.of(Getter.DATE, Getter.LONG);
      case TimeType _ -> List.of(Getter.TIME, Getter.LONG);
      case TimestampType timestamp when timestamp.timezone() != null ->
          List.of(Getter.INSTANT, Getter.ZONED_DATE_TIME, Getter.DATE_TIME, Getter.LONG);
      case TimestampType _ -> List.of(Getter.DATE_TIME, Getter.INSTANT, Getter.LONG);
      case DurationType _ -> List.of(Getter.DURATION, Getter.LONG);
      case FloatType _ -> List.of(Getter.DOUBLE);
      case DecimalType _ -> List.of(Getter.DECIMAL, Getter.DOUBLE);
      case IntervalType(var unit) ->
          unit == IntervalUnit.YEAR_MONTH ? List.of(Getter.PERIOD, Getter.INTERVAL) : List.of(Getter.INTERVAL);
      case Utf8Type _, LargeUtf8Type _, Utf8ViewType _ -> List.of(Getter.STRING, Getter.BYTES);
      case BinaryType _, LargeBinaryType _, BinaryViewType _, FixedSizeBinaryType _ -> List.of(Getter.BYTES);
      case ListType _, LargeListType _, ListViewType _, LargeListViewType _, FixedSizeListType _ ->
          List.of(Getter.LIST, Getter.ANY);
      case MapType _ -> List.of(Getter.MAP, Getter.LIST, Getter.ANY);
      case StructType _, UnionType _, DictionaryType _, RunEndEncodedType _ -> List.of();
    };
  }
}
