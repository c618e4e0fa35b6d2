// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.columns;

import java.lang.foreign.MemorySegment;
import java.util.stream.Stream;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.CalendarIntervalType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimeType;
import org.apache.spark.sql.types.YearMonthIntervalType;
import org.apache.spark.unsafe.types.CalendarInterval;
import org.apache.spark.unsafe.types.UTF8String;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.types.Interval;

/** A writer that appends one non-null Spark value from a row, an array or a column. */
@FunctionalInterface
interface ValueWriter {
  void append(ColumnBuilder to, SpecializedGetters from, int ordinal);

  /** Appends a value or a null; a null also appends the parts that its type requires. */
  default void appendNullable(ColumnBuilder to, SpecializedGetters from, int ordinal) {
    if (from.isNullAt(ordinal)) {
      to.appendNullWithParts();
    } else {
      append(to, from, ordinal);
    }
  }

  /** Returns a writer for values of a type that {@link ArrowTypes} supports. */
  static ValueWriter of(DataType type) {
    return switch (type) {
      case NullType _ -> (to, _, _) -> to.appendNull();
      case BooleanType _ -> (to, from, i) -> to.append(from.getBoolean(i));
      case ByteType _ -> (to, from, i) -> to.append((long) from.getByte(i));
      case ShortType _ -> (to, from, i) -> to.append((long) from.getShort(i));
      case IntegerType _, DateType _, YearMonthIntervalType _ -> (to, from, i) -> to.append((long) from.getInt(i));
      case FloatType _ -> (to, from, i) -> to.append(from.getFloat(i));
      case DoubleType _ -> (to, from, i) -> to.append(from.getDouble(i));
      case DecimalType decimal ->
          (to, from, i) -> to.append(from.getDecimal(i, decimal.precision(), decimal.scale()).toJavaBigDecimal());
      case StringType _ -> (to, from, i) -> text(to, from.getUTF8String(i));
      case BinaryType _ -> (to, from, i) -> to.append(from.getBinary(i));
      case CalendarIntervalType _ -> (to, from, i) -> to.append(interval(from.getInterval(i)));
      // nanoseconds, with at most six digits of a second
      case TimeType _ -> (to, from, i) -> to.append(from.getLong(i) / 1000);
      case ArrayType array -> list(of(array.elementType()));
      case MapType map -> map(of(map.keyType()), of(map.valueType()));
      case StructType struct -> struct(struct);
      default -> (to, from, i) -> to.append(from.getLong(i)); // int64, and times in the units of Spark
    };
  }

  /**
   * Appends text. Spark's text may be invalid UTF-8, for example after a cast from binary. Then this method appends the
   * same text as Spark's rows of strings, with U+FFFD in place of invalid bytes.
   */
  static void text(ColumnBuilder to, UTF8String text) {
    try {
      to.append(MemorySegment.ofBuffer(text.getByteBuffer()));
    } catch (IllegalArgumentException e) {
      if (text.isValid()) throw e;
      to.append(text.toString());
    }
  }

  static Interval interval(CalendarInterval of) {
    return new Interval(of.months, of.days, Math.multiplyExact(of.microseconds, 1000));
  }

  private static ValueWriter list(ValueWriter items) {
    return (to, from, i) -> {
      ArrayData array = from.getArray(i);
      to.appendList(array.numElements());
      appendAll(items, to.items(), array);
    };
  }

  private static ValueWriter map(ValueWriter keys, ValueWriter values) {
    return (to, from, i) -> {
      MapData map = from.getMap(i);
      to.appendMap(map.numElements());
      appendAll(keys, to.keys(), map.keyArray());
      appendAll(values, to.values(), map.valueArray());
    };
  }

  private static void appendAll(ValueWriter items, ColumnBuilder to, ArrayData array) {
    for (int item = 0; item < array.numElements(); item++) items.appendNullable(to, array, item);
  }

  private static ValueWriter struct(StructType type) {
    ValueWriter[] fields = all(type);
    return (to, from, i) -> {
      InternalRow row = from.getStruct(i, fields.length);
      to.appendStruct();
      for (int field = 0; field < fields.length; field++) fields[field].appendNullable(to.child(field), row, field);
    };
  }

  /** Returns a writer for each field. */
  static ValueWriter[] all(StructType type) {
    return Stream.of(type.fields()).map(field -> of(field.dataType())).toArray(ValueWriter[]::new);
  }
}
