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
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
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
import org.apache.spark.sql.types.DayTimeIntervalType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimeType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.sql.types.YearMonthIntervalType;
import org.jspecify.annotations.Nullable;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Rows of objects, as in Spark's public API, made from internal rows. {@link ObjectWriter} converts in the other
 * direction.
 */
final class RowObjects {
  /**
   * The instant before which local times may belong to the Julian calendar, or to an offset that no zone has today.
   * Before it, conversions preserve the local time, which {@code java.sql} and {@code java.time} display equally.
   */
  static final Instant MODERN = Instant.parse("1900-01-01T00:00:00Z");

  private final boolean isJavaTime;

  /**
   * Creates a conversion for one kind of dates and timestamps.
   *
   * @param isJavaTime whether dates and timestamps are classes of {@code java.time}, or of {@code java.sql}
   */
  RowObjects(boolean isJavaTime) {
    this.isJavaTime = isJavaTime;
  }

  /** Returns rows of objects. Each internal row is read in place. */
  Iterator<Row> rows(Iterator<InternalRow> of, StructType type) {
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return of.hasNext();
      }

      @Override
      public Row next() {
        return row(of.next(), type);
      }
    };
  }

  private Row row(InternalRow of, StructType type) {
    @Nullable Object[] values = new @Nullable Object[type.size()];
    for (int i = 0; i < values.length; i++) values[i] = toSpark(of, i, type.fields()[i].dataType());
    return RowFactory.create(values);
  }

  private @Nullable Object toSpark(SpecializedGetters from, int i, DataType type) {
    if (from.isNullAt(i)) return null;
    return switch (type) {
      case BooleanType _ -> from.getBoolean(i);
      case ByteType _ -> from.getByte(i);
      case ShortType _ -> from.getShort(i);
      case IntegerType _ -> from.getInt(i);
      case LongType _ -> from.getLong(i);
      case FloatType _ -> from.getFloat(i);
      case DoubleType _ -> from.getDouble(i);
      case DecimalType decimal -> decimal(from, i, decimal);
      case StringType _ -> from.getUTF8String(i).toString();
      case BinaryType _ -> from.getBinary(i);
      case DateType _ -> date(LocalDate.ofEpochDay(from.getInt(i)));
      case TimeType _ -> LocalTime.ofNanoOfDay(from.getLong(i));
      case TimestampType _ -> timestamp(instant(from.getLong(i)));
      case TimestampNTZType _ -> LocalDateTime.ofInstant(instant(from.getLong(i)), ZoneOffset.UTC);
      case DayTimeIntervalType _ -> Duration.of(from.getLong(i), ChronoUnit.MICROS);
      case YearMonthIntervalType _ -> Period.ofMonths(from.getInt(i)).normalized();
      case CalendarIntervalType _ -> from.getInterval(i);
      case StructType struct -> row(from.getStruct(i, struct.size()), struct);
      case ArrayType array -> CollectionConverters.asScala(list(from.getArray(i), array.elementType())).toSeq();
      case MapType map -> CollectionConverters.asScala(map(from.getMap(i), map));
      default -> throw new IllegalStateException("no rows of " + type.catalogString());
    };
  }

  private static BigDecimal decimal(SpecializedGetters from, int i, DecimalType type) {
    return from.getDecimal(i, type.precision(), type.scale()).toJavaBigDecimal();
  }

  private Object date(LocalDate date) {
    return isJavaTime ? date : Date.valueOf(date);
  }

  private Object timestamp(Instant instant) {
    if (isJavaTime) return instant;
    return instant.isBefore(MODERN) ? Timestamp.valueOf(LocalDateTime.ofInstant(instant, ZoneId.systemDefault()))
        : Timestamp.from(instant);
  }

  private static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  private List<@Nullable Object> list(ArrayData of, DataType type) {
    List<@Nullable Object> list = new ArrayList<>();
    for (int i = 0; i < of.numElements(); i++) list.add(toSpark(of, i, type));
    return list;
  }

  private Map<@Nullable Object, @Nullable Object> map(MapData of, MapType type) {
    Map<@Nullable Object, @Nullable Object> map = new LinkedHashMap<>();
    for (int i = 0; i < of.numElements(); i++)
      map.put(toSpark(of.keyArray(), i, type.keyType()), toSpark(of.valueArray(), i, type.valueType()));
    return map;
  }
}
