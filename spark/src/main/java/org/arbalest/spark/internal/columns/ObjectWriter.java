// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.columns;

import java.math.BigDecimal;
import java.sql.Date;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.Period;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.CalendarIntervalType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DayTimeIntervalType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimeType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.sql.types.YearMonthIntervalType;
import org.apache.spark.unsafe.types.CalendarInterval;
import org.arbalest.device.builders.ColumnBuilder;
import org.jspecify.annotations.Nullable;
import scala.jdk.javaapi.CollectionConverters;

/** A writer that appends objects of one column, from rows of Spark's public API. */
@FunctionalInterface
interface ObjectWriter {
  /** Appends an object that is not null. */
  void append(ColumnBuilder to, Object value);

  /** Appends an object or a null; a null also appends the parts that its type requires. */
  default void appendNullable(ColumnBuilder to, @Nullable Object value) {
    if (value == null) {
      to.appendNullWithParts();
    } else {
      append(to, value);
    }
  }

  /** Returns a writer for objects of a type that {@link ArrowTypes} supports. */
  static ObjectWriter of(DataType type) {
    return switch (type) {
      case NullType _ -> (to, _) -> to.appendNull();
      case BooleanType _ -> (to, value) -> to.append((boolean) value);
      case FloatType _ -> (to, value) -> to.append((float) value);
      case DoubleType _ -> (to, value) -> to.append((double) value);
      case DecimalType _ -> (to, value) -> to.append((BigDecimal) value);
      case StringType _ -> (to, value) -> to.append((String) value);
      case BinaryType _ -> (to, value) -> to.append((byte[]) value);
      case DateType _ -> (to, value) -> to.append(value instanceof Date date ? date.toLocalDate() : (LocalDate) value);
      case TimeType _ -> (to, value) -> to.append((LocalTime) value);
      case TimestampType _ ->
          (to, value) -> to.append(value instanceof Timestamp time ? instant(time) : (Instant) value);
      case TimestampNTZType _ -> (to, value) -> to.append((LocalDateTime) value);
      case DayTimeIntervalType _ -> (to, value) -> to.append((Duration) value);
      case YearMonthIntervalType _ -> (to, value) -> to.append((Period) value);
      case CalendarIntervalType _ -> (to, value) -> to.append(ValueWriter.interval((CalendarInterval) value));
      case ArrayType array -> list(of(array.elementType()));
      case MapType map -> map(of(map.keyType()), of(map.valueType()));
      case StructType struct -> struct(all(struct));
      default -> (to, value) -> to.append(((Number) value).longValue());
    };
  }

  private static Instant instant(Timestamp time) {
    return time.toInstant().isBefore(RowObjects.MODERN)
        ? time.toLocalDateTime().atZone(ZoneId.systemDefault()).toInstant() : time.toInstant();
  }

  private static ObjectWriter list(ObjectWriter items) {
    return (to, value) -> {
      List<?> list = CollectionConverters.asJava((scala.collection.Seq<?>) value);
      to.appendList(list.size());
      for (Object item : list) items.appendNullable(to.items(), item);
    };
  }

  private static ObjectWriter map(ObjectWriter keys, ObjectWriter values) {
    return (to, value) -> {
      Map<?, ?> map = CollectionConverters.asJava((scala.collection.Map<?, ?>) value);
      to.appendMap(map.size());
      map.forEach((key, item) -> {
        keys.appendNullable(to.keys(), key);
        values.appendNullable(to.values(), item);
      });
    };
  }

  private static ObjectWriter struct(ObjectWriter[] fields) {
    return (to, value) -> {
      Row row = (Row) value;
      to.appendStruct();
      for (int field = 0; field < fields.length; field++) fields[field].appendNullable(to.child(field), row.get(field));
    };
  }

  /** Returns a writer for each field. */
  static ObjectWriter[] all(StructType type) {
    return Stream.of(type.fields()).map(field -> of(field.dataType())).toArray(ObjectWriter[]::new);
  }
}
