// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.schema;

import java.math.BigDecimal;
import java.time.Period;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Extension.Bool8;
import org.arbalest.device.types.Extension.Uuid;
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
import org.arbalest.device.types.Interval;
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

/** The types and classes that values are read as. */
final class ValueTypes {
  private ValueTypes() {}

  /** Returns the type of the values, without dictionary and run-end encoding. */
  static DataType of(DataType type) {
    return switch (type) {
      case DictionaryType encoded -> of(encoded.values().type());
      case RunEndEncodedType runs -> of(runs.values().type());
      default -> type;
    };
  }

  /** Returns the class of the objects that a field's values are read as. */
  static Class<?> classOf(Field field) {
    RegisteredType registered = RegisteredType.of(field);
    if (registered != null) return registered.valueClass();
    return switch (field.type()) {
      case DictionaryType encoded -> classOf(encoded.values());
      case RunEndEncodedType runs -> classOf(runs.values());
      default ->
          switch (field.extension()) {
            case Uuid _ -> UUID.class;
            case Bool8 _ -> Boolean.class;
            case null, default -> classOf(field.type());
          };
    };
  }

  private static Class<?> classOf(DataType type) {
    return switch (type) {
      case NullType _ -> Void.class;
      case BoolType _ -> Boolean.class;
      case IntType(int bits, boolean signed) -> bits == 64 && !signed ? BigDecimal.class : Long.class;
      case DateType _, TimeType _, TimestampType _, DurationType _ -> Long.class;
      case FloatType _ -> Double.class;
      case DecimalType _ -> BigDecimal.class;
      case IntervalType(var unit) -> unit == IntervalUnit.YEAR_MONTH ? Period.class : Interval.class;
      case Utf8Type _, LargeUtf8Type _, Utf8ViewType _ -> String.class;
      case BinaryType _, LargeBinaryType _, BinaryViewType _, FixedSizeBinaryType _ -> byte[].class;
      case ListType _, LargeListType _, ListViewType _, LargeListViewType _, FixedSizeListType _,
          MapType _ -> List.class;
      case StructType _ -> Map.class;
      case UnionType _ -> Object.class;
      case DictionaryType _, RunEndEncodedType _ -> classOf(of(type));
    };
  }
}
