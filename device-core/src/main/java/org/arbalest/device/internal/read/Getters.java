package org.arbalest.device.internal.read;

import org.arbalest.device.DataType;
import org.arbalest.device.Extension.Bool8;
import org.arbalest.device.Extension.FixedShapeTensor;
import org.arbalest.device.Extension.TimestampWithOffset;
import org.arbalest.device.Extension.Uuid;
import org.arbalest.device.Extension.VariableShapeTensor;
import org.arbalest.device.Field;
import org.arbalest.device.FlatType.BinaryType;
import org.arbalest.device.FlatType.BinaryViewType;
import org.arbalest.device.FlatType.BoolType;
import org.arbalest.device.FlatType.DateType;
import org.arbalest.device.FlatType.DecimalType;
import org.arbalest.device.FlatType.DurationType;
import org.arbalest.device.FlatType.FixedSizeBinaryType;
import org.arbalest.device.FlatType.FloatType;
import org.arbalest.device.FlatType.IntType;
import org.arbalest.device.FlatType.IntervalType;
import org.arbalest.device.FlatType.IntervalUnit;
import org.arbalest.device.FlatType.LargeBinaryType;
import org.arbalest.device.FlatType.LargeUtf8Type;
import org.arbalest.device.FlatType.NullType;
import org.arbalest.device.FlatType.TimeType;
import org.arbalest.device.FlatType.TimestampType;
import org.arbalest.device.FlatType.Utf8Type;
import org.arbalest.device.FlatType.Utf8ViewType;
import org.arbalest.device.NestedType.DictionaryType;
import org.arbalest.device.NestedType.FixedSizeListType;
import org.arbalest.device.NestedType.LargeListType;
import org.arbalest.device.NestedType.LargeListViewType;
import org.arbalest.device.NestedType.ListType;
import org.arbalest.device.NestedType.ListViewType;
import org.arbalest.device.NestedType.MapType;
import org.arbalest.device.NestedType.RunEndEncodedType;
import org.arbalest.device.NestedType.StructType;
import org.arbalest.device.NestedType.UnionType;

/** Which getters read a type, for whoever asked another. */
final class Getters {
  private Getters() {}

  /** Whether getLong reads a type, or of a union's one. */
  static boolean readLongs(DataType type) {
    return switch (type) {
      case IntType _, DateType _, TimeType _, TimestampType _, DurationType _ -> true;
      case DictionaryType encoded -> readLongs(encoded.values().type());
      case RunEndEncodedType runs -> readLongs(runs.values().type());
      case UnionType union -> union.fields().stream().anyMatch(field -> readLongs(field.type()));
      default -> false;
    };
  }

  /** Whether getDouble reads a type, or of a union's one. */
  static boolean readDoubles(DataType type) {
    return switch (type) {
      case IntType _, FloatType _, DecimalType _ -> true;
      case DictionaryType encoded -> readDoubles(encoded.values().type());
      case RunEndEncodedType runs -> readDoubles(runs.values().type());
      case UnionType union -> union.fields().stream().anyMatch(field -> readDoubles(field.type()));
      default -> false;
    };
  }

  static String of(Field field) {
    return switch (field.extension()) {
      case Uuid _ -> "getUuid and getBytes read it";
      case Bool8 _ -> "getBoolean, getLong, getInt, getDecimal and getDouble read it";
      case TimestampWithOffset _ -> "getOffsetDateTime reads it, column(…) has its fields";
      case FixedShapeTensor _ -> "getTensor, getList and get read it";
      case VariableShapeTensor _ -> "getTensor reads it, column(…) has its fields";
      case null, default -> of(field.type());
    };
  }

  private static String of(DataType type) {
    return switch (type) {
      case NullType _ -> "only isNull and get read it";
      case BoolType _ -> "getBoolean reads it";
      case IntType _ -> "getLong, getInt, getDecimal and getDouble read it";
      case DateType _ -> "getDate and getLong read it";
      case TimeType _ -> "getTime and getLong read it";
      case TimestampType timestamp when timestamp.timezone() != null -> "getInstant, getZonedDateTime, getDateTime and getLong read it";
      case TimestampType _ -> "getDateTime, getInstant and getLong read it";
      case DurationType _ -> "getDuration and getLong read it";
      case FloatType _ -> "getDouble reads it";
      case DecimalType _ -> "getDecimal and getDouble read it";
      case IntervalType(var unit) -> unit == IntervalUnit.YEAR_MONTH ? "getPeriod and getInterval read it" : "getInterval reads it";
      case Utf8Type _, LargeUtf8Type _, Utf8ViewType _ -> "getString and getBytes read it";
      case BinaryType _, LargeBinaryType _, BinaryViewType _, FixedSizeBinaryType _ -> "getBytes reads it";
      case ListType _, LargeListType _, ListViewType _, LargeListViewType _, FixedSizeListType _ -> "getList and get read it";
      case MapType _ -> "getMap, getList and get read it";
      case StructType _ -> "column(…) has its fields, and get reads it";
      case UnionType _ -> "getTypeId says which type a row has, whose getters read it, and so does get";
      case DictionaryType encoded -> of(encoded.values());
      case RunEndEncodedType runs -> of(runs.values());
    };
  }
}
