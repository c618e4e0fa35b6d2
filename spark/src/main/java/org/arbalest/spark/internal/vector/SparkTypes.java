// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.vector;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DayTimeIntervalType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimeType;
import org.apache.spark.sql.types.YearMonthIntervalType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType;
import org.arbalest.device.types.NestedType;
import org.arbalest.device.types.Schema;
import org.arbalest.device.types.ArrowTimeUnit;

/** Conversion of Arrow types to Spark's types. An extension type becomes the type of its storage. */
public final class SparkTypes {
  private static final int MAX_PRECISION = 38;

  private SparkTypes() {}

  /**
   * Returns the schema that Spark reads.
   *
   * @param truncatesNanos whether counts of nanoseconds lose the digits below a microsecond, which is Spark's smallest
   *     unit; otherwise they are an error
   * @throws IllegalArgumentException if Spark has no such type, with the path and the type
   */
  public static StructType of(Schema schema, boolean truncatesNanos) {
    var types = new SparkTypes.Reading(truncatesNanos);
    return new StructType(types.fields("", schema.fields()));
  }

  private record Reading(boolean truncatesNanos) {
    StructField[] fields(String path, List<Field> fields) {
      var made = new ArrayList<StructField>();
      for (Field field : fields)
        made.add(DataTypes.createStructField(field.name(), type(path + field.name(), field), hasNulls(field)));
      return made.toArray(StructField[]::new);
    }

    /** Returns whether a field can have nulls. An encoded row is null also if its value is null. */
    private static boolean hasNulls(Field field) {
      return field.isNullable() || switch (field.type()) {
        case NestedType.DictionaryType(FlatType.IntType _, Field values, boolean _) -> hasNulls(values);
        case NestedType.RunEndEncodedType(Field _, Field values) -> hasNulls(values);
        default -> false;
      };
    }

    private DataType type(String path, Field field) {
      return switch (field.type()) {
        case FlatType flat -> flat(path, flat);
        case NestedType.ListType(Field item) -> list(path, item);
        case NestedType.LargeListType(Field item) -> list(path, item);
        case NestedType.ListViewType(Field item) -> list(path, item);
        case NestedType.LargeListViewType(Field item) -> list(path, item);
        case NestedType.FixedSizeListType(Field item, int _) -> list(path, item);
        case NestedType.StructType(List<Field> fields) -> new StructType(fields(path + ".", fields));
        case NestedType.MapType(Field entries, boolean _) -> map(path, entries);
        case NestedType.DictionaryType(FlatType.IntType _, Field values, boolean _) -> type(path, values);
        case NestedType.RunEndEncodedType(Field _, Field values) -> type(path, values);
        case NestedType.UnionType type -> throw none(path, type, "take one of its children");
      };
    }

    private DataType list(String path, Field item) {
      return DataTypes.createArrayType(type(path + "[]", item), hasNulls(item));
    }

    private DataType map(String path, Field entries) {
      List<Field> pair = ((NestedType.StructType) entries.type()).fields();
      Field value = pair.get(1);
      return DataTypes.createMapType(type(path + ".key", pair.get(0)), type(path + ".value", value), hasNulls(value));
    }

    private DataType flat(String path, FlatType type) {
      return switch (type) {
        case FlatType.NullType _ -> DataTypes.NullType;
        case FlatType.BoolType _ -> DataTypes.BooleanType;
        case FlatType.IntType(int bits, boolean signed) -> integer(signed ? bits : 2 * bits);
        case FlatType.FloatType(int bits) -> bits == 64 ? DataTypes.DoubleType : DataTypes.FloatType;
        case FlatType.DecimalType(int _, int precision, int scale) -> {
          if (precision > MAX_PRECISION)
            throw none(path, type, "Spark's decimals have no more than " + MAX_PRECISION + " digits");
          if (scale < 0 || scale > precision) throw none(path, type, "Spark's scale is from 0 to the precision");
          yield DataTypes.createDecimalType(precision, scale);
        }
        case FlatType.Utf8Type _, FlatType.LargeUtf8Type _, FlatType.Utf8ViewType _ -> DataTypes.StringType;
        case FlatType.BinaryType _, FlatType.LargeBinaryType _, FlatType.BinaryViewType _,
            FlatType.FixedSizeBinaryType _ ->
            DataTypes.BinaryType;
        case FlatType.DateType _ -> DataTypes.DateType;
        case FlatType.TimeType(ArrowTimeUnit unit) -> TimeType.apply(digits(path, type, unit));
        case FlatType.TimestampType(ArrowTimeUnit unit, String timezone) -> {
          digits(path, type, unit);
          yield timezone == null ? DataTypes.TimestampNTZType : DataTypes.TimestampType;
        }
        case FlatType.DurationType(ArrowTimeUnit unit) -> {
          digits(path, type, unit);
          yield DayTimeIntervalType.DEFAULT();
        }
        case FlatType.IntervalType(FlatType.IntervalUnit unit) ->
            switch (unit) {
              case YEAR_MONTH -> YearMonthIntervalType.DEFAULT();
              case DAY_TIME, MONTH_DAY_NANO -> DataTypes.CalendarIntervalType;
            };
      };
    }

    /**
     * Returns the type of an integer. An unsigned integer becomes the next wider signed type, as in Spark's Parquet
     * reader.
     */
    private static DataType integer(int bits) {
      return switch (bits) {
        case 8 -> DataTypes.ByteType;
        case 16 -> DataTypes.ShortType;
        case 32 -> DataTypes.IntegerType;
        case 64 -> DataTypes.LongType;
        default -> DataTypes.createDecimalType(20, 0);
      };
    }

    private int digits(String path, FlatType type, ArrowTimeUnit unit) {
      return switch (unit) {
        case SECOND -> 0;
        case MILLISECOND -> 3;
        case MICROSECOND -> 6;
        case NANOSECOND -> {
          if (!truncatesNanos)
            throw none(path, type,
                "Spark counts microseconds: use these, or set the source's option nanoseconds=truncate");
          yield 6;
        }
      };
    }

    private static IllegalArgumentException none(String path, org.arbalest.device.types.DataType type, String why) {
      return new IllegalArgumentException("Spark has no type for " + path + ", which is " + type + ": " + why);
    }
  }
}
