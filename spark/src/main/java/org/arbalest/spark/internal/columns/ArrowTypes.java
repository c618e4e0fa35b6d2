// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.columns;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.CalendarIntervalType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DayTimeIntervalType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimeType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.sql.types.YearMonthIntervalType;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType;
import org.arbalest.device.types.NestedType;
import org.arbalest.device.types.Schema;
import org.arbalest.device.types.ArrowTimeUnit;

/** Conversion of Spark's types to Arrow types. */
public final class ArrowTypes {
  private ArrowTypes() {}

  /**
   * Returns the schema of a DataFrame's columns.
   *
   * @throws IllegalArgumentException if Arrow has no such type, or if this library does not write it, with the path and
   *     the type
   */
  public static Schema of(StructType type) {
    return Schema.of(fields("", type));
  }

  private static List<Field> fields(String path, StructType type) {
    var fields = new ArrayList<Field>();
    for (StructField field : type.fields()) fields.add(field(path, field.name(), field.dataType(), field.nullable()));
    return fields;
  }

  private static Field field(String path, String name, org.apache.spark.sql.types.DataType type, boolean isNullable) {
    return Field.of(name, type(path + name, type)).withNullable(isNullable);
  }

  private static DataType type(String path, org.apache.spark.sql.types.DataType type) {
    return switch (type) {
      case NullType _ -> DataType.NULL;
      case BooleanType _ -> DataType.BOOL;
      case ByteType _ -> DataType.INT8;
      case ShortType _ -> DataType.INT16;
      case IntegerType _ -> DataType.INT32;
      case LongType _ -> DataType.INT64;
      case FloatType _ -> DataType.FLOAT32;
      case DoubleType _ -> DataType.FLOAT64;
      case DecimalType decimal -> DataType.decimal128(decimal.precision(), decimal.scale());
      case StringType _ -> DataType.UTF8;
      case BinaryType _ -> DataType.BINARY;
      case DateType _ -> new FlatType.DateType(FlatType.DateUnit.DAY);
      case TimeType _ -> new FlatType.TimeType(ArrowTimeUnit.MICROSECOND);
      case TimestampType _ -> DataType.timestamp(ArrowTimeUnit.MICROSECOND, "UTC");
      case TimestampNTZType _ -> new FlatType.TimestampType(ArrowTimeUnit.MICROSECOND, null);
      case DayTimeIntervalType _ -> DataType.duration(ArrowTimeUnit.MICROSECOND);
      case YearMonthIntervalType _ -> new FlatType.IntervalType(FlatType.IntervalUnit.YEAR_MONTH);
      case CalendarIntervalType _ -> new FlatType.IntervalType(FlatType.IntervalUnit.MONTH_DAY_NANO);
      case ArrayType array ->
          new NestedType.ListType(field(path, "[]", array.elementType(), array.containsNull()).withName("item"));
      case StructType struct -> new NestedType.StructType(fields(path + ".", struct));
      case MapType map -> {
        Field key = field(path + ".", "key", map.keyType(), false);
        Field value = field(path + ".", "value", map.valueType(), map.valueContainsNull());
        Field entries = Field.of("entries", new NestedType.StructType(List.of(key, value))).withNullable(false);
        yield new NestedType.MapType(entries, false);
      }
      default -> throw new IllegalArgumentException(
          "Arrow has no type for " + path + ", which is " + type.catalogString() + " in Spark");
    };
  }
}
