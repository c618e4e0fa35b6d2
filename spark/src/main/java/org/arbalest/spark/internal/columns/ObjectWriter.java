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
import java.util.Iterator;
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
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimeType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.sql.types.YearMonthIntervalType;
import org.apache.spark.unsafe.types.CalendarInterval;
import org.arbalest.device.BatchBuilder;
import org.arbalest.device.ColumnBuilder;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.Field;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.Schema;
import org.jspecify.annotations.Nullable;
import scala.jdk.javaapi.CollectionConverters;

/** Appends objects of one column out of rows of Spark's public API. */
@FunctionalInterface
interface ObjectWriter {
  /** Appends one that is not null. */
  void append(ColumnBuilder to, Object value);

  /** Appends those of some rows, at most a {@link NumberBlocks#BLOCK}; those of numbers at the next {@link #flush} at the latest. */
  default void appendAll(ColumnBuilder to, Row[] rows, int count, int ordinal) {
    for (int row = 0; row < count; row++) appendNullable(to, rows[row].get(ordinal));
  }

  /** Appends what was held back. */
  default void flush(ColumnBuilder to) {}

  /** The same as {@link #append}, or a null, with its parts if it has any. */
  default void appendNullable(ColumnBuilder to, @Nullable Object value) {
    if (value == null) {
      to.appendNullWithParts();
    } else {
      append(to, value);
    }
  }

  /** For objects of a type that {@link ArrowTypes} has. */
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
      case TimestampType _ -> (to, value) -> to.append(value instanceof Timestamp time ? instant(time) : (Instant) value);
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
    return time.toInstant().isBefore(RowObjects.MODERN) ? time.toLocalDateTime().atZone(ZoneId.systemDefault()).toInstant() : time.toInstant();
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

  /** Of each field. */
  private static ObjectWriter[] all(StructType type) {
    return Stream.of(type.fields()).map(field -> of(field.dataType())).toArray(ObjectWriter[]::new);
  }

  /** Of each column: numbers are gathered, for {@link #flush}. */
  static ObjectWriter[] ofColumns(StructType type) {
    return Stream.of(type.fields()).map(field -> ofColumn(field.dataType())).toArray(ObjectWriter[]::new);
  }

  private static ObjectWriter ofColumn(DataType type) {
    return switch (type) {
      case IntegerType _ -> new NumberBlocks.Ints();
      case LongType _ -> new NumberBlocks.Longs();
      case FloatType _ -> new NumberBlocks.Floats();
      case DoubleType _ -> new NumberBlocks.Doubles();
      default -> of(type);
    };
  }

  /** A batch of the next rows, at least one. */
  static DeviceArray batch(Schema schema, ObjectWriter[] writers, Iterator<Row> from, int mostRows, MemoryManager memory) {
    if (writers.length == 0) return RowBatchWriter.count(from, mostRows, memory);
    try (BatchBuilder builder = memory.batchBuilder()) {
      var columns = new ColumnBuilder[writers.length];
      List<Field> fields = schema.fields();
      for (int i = 0; i < columns.length; i++) columns[i] = builder.column(fields.get(i));
      for (int left = mostRows; left > 0 && from.hasNext();) {
        var block = new Row[NumberBlocks.BLOCK]; // an old one would cost a barrier for each row
        int rows = 0;
        for (; rows < Math.min(block.length, left) && from.hasNext(); rows++) block[rows] = from.next();
        for (int i = 0; i < columns.length; i++) writers[i].appendAll(columns[i], block, rows, i);
        left -= rows;
      }
      for (int i = 0; i < columns.length; i++) writers[i].flush(columns[i]);
      return builder.build();
    }
  }
}
