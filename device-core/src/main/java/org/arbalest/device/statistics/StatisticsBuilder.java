// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.statistics;

import java.math.BigDecimal;
import java.util.Objects;
import org.arbalest.device.columns.Column;
import org.arbalest.device.internal.schema.TypeNames;
import org.arbalest.device.internal.statistics.Statistic;
import org.arbalest.device.internal.statistics.StatisticValue;
import org.arbalest.device.internal.statistics.StatisticsTable;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.DecimalType;
import org.jspecify.annotations.Nullable;

/**
 * A builder of {@link Statistics}: first of the whole, and of a column after {@link #column}. Values have the classes
 * that {@link Column#get} returns. A second value for a key replaces the first.
 *
 * <pre>{@code
 * Statistics statistics = Statistics.builder().rowCount(5)
 *     .column(0).nullCount(0).distinctCount(2).min(1).max(5)
 *     .column(1).nullCount(1)
 *     .build();
 * }</pre>
 *
 * <p>Not thread-safe. The builder has no native resources, and needs no release.
 */
public final class StatisticsBuilder {
  private final StatisticsTable table = new StatisticsTable();
  private int target = StatisticsTable.WHOLE;

  StatisticsBuilder() {}

  /** Selects the whole table, record batch or array for the next values. */
  public StatisticsBuilder whole() {
    target = StatisticsTable.WHOLE;
    return this;
  }

  /** Selects a column for the next values; {@link Statistics} describes the numbers of columns. */
  public StatisticsBuilder column(int index) {
    if (index < 0) throw new IndexOutOfBoundsException("columns are numbered from 0, but the index is " + index);
    target = index;
    return this;
  }

  /** Sets the exact number of rows. */
  public StatisticsBuilder rowCount(long exact) {
    return count(Statistic.ROW_COUNT, exact);
  }

  /** Sets the approximate number of rows. */
  public StatisticsBuilder approximateRowCount(double approximate) {
    return number(Statistic.ROW_COUNT.approximate, approximate);
  }

  /** Sets the exact number of nulls. */
  public StatisticsBuilder nullCount(long exact) {
    return count(Statistic.NULL_COUNT, exact);
  }

  /** Sets the approximate number of nulls. */
  public StatisticsBuilder approximateNullCount(double approximate) {
    return number(Statistic.NULL_COUNT.approximate, approximate);
  }

  /** Sets the exact number of distinct values. */
  public StatisticsBuilder distinctCount(long exact) {
    return count(Statistic.DISTINCT_COUNT, exact);
  }

  /** Sets the approximate number of distinct values. */
  public StatisticsBuilder approximateDistinctCount(double approximate) {
    return number(Statistic.DISTINCT_COUNT.approximate, approximate);
  }

  /** Sets the exact size of the largest row in bytes. */
  public StatisticsBuilder maxByteWidth(long exact) {
    return count(Statistic.MAX_BYTE_WIDTH, exact);
  }

  /** Sets the approximate size of the largest row in bytes. */
  public StatisticsBuilder approximateMaxByteWidth(double approximate) {
    return number(Statistic.MAX_BYTE_WIDTH.approximate, approximate);
  }

  /** Sets the exact average size of a row in bytes. */
  public StatisticsBuilder averageByteWidth(double exact) {
    return number(Statistic.AVERAGE_BYTE_WIDTH.exact, exact);
  }

  /** Sets the approximate average size of a row in bytes. */
  public StatisticsBuilder approximateAverageByteWidth(double approximate) {
    return number(Statistic.AVERAGE_BYTE_WIDTH.approximate, approximate);
  }

  /** Sets the exact smallest value; {@link #put(String, Object)} determines its type. */
  public StatisticsBuilder min(Object exact) {
    return add(Statistic.MIN_VALUE.exact, Objects.requireNonNull(exact, "exact"), null);
  }

  /** Sets the exact smallest value, as a value of a type. */
  public StatisticsBuilder min(Object exact, DataType type) {
    return add(Statistic.MIN_VALUE.exact, Objects.requireNonNull(exact, "exact"), Objects.requireNonNull(type, "type"));
  }

  /** Sets the approximate smallest value; {@link #put(String, Object)} determines its type. */
  public StatisticsBuilder approximateMin(Object approximate) {
    return add(Statistic.MIN_VALUE.approximate, Objects.requireNonNull(approximate, "approximate"), null);
  }

  /** Sets the approximate smallest value, as a value of a type. */
  public StatisticsBuilder approximateMin(Object approximate, DataType type) {
    return add(Statistic.MIN_VALUE.approximate, Objects.requireNonNull(approximate, "approximate"),
        Objects.requireNonNull(type, "type"));
  }

  /** Sets the exact largest value; {@link #put(String, Object)} determines its type. */
  public StatisticsBuilder max(Object exact) {
    return add(Statistic.MAX_VALUE.exact, Objects.requireNonNull(exact, "exact"), null);
  }

  /** Sets the exact largest value, as a value of a type. */
  public StatisticsBuilder max(Object exact, DataType type) {
    return add(Statistic.MAX_VALUE.exact, Objects.requireNonNull(exact, "exact"), Objects.requireNonNull(type, "type"));
  }

  /** Sets the approximate largest value; {@link #put(String, Object)} determines its type. */
  public StatisticsBuilder approximateMax(Object approximate) {
    return add(Statistic.MAX_VALUE.approximate, Objects.requireNonNull(approximate, "approximate"), null);
  }

  /** Sets the approximate largest value, as a value of a type. */
  public StatisticsBuilder approximateMax(Object approximate, DataType type) {
    return add(Statistic.MAX_VALUE.approximate, Objects.requireNonNull(approximate, "approximate"),
        Objects.requireNonNull(type, "type"));
  }

  /**
   * Sets the value of a key. The key is one of the specification's ({@link StatisticKeys}) or the application's own.
   * Its own keys begin with the name of a product, not with {@code ARROW:}.
   *
   * @param value a Boolean; a Long or a smaller integer, stored as int64; a Double or a Float, stored as float64; a
   *     String; or bytes
   * @throws IllegalArgumentException if the value has another class; if the key requires a count and the value is not
   *     one; or if the key begins with {@code ARROW:} and is not in the specification
   */
  public StatisticsBuilder put(String key, Object value) {
    return add(checked(key), Objects.requireNonNull(value, "value"), null);
  }

  /**
   * Sets the value of a key, with its type; see {@link #put(String, Object)}.
   *
   * @param value an object of the class that {@link Field#valueClass} returns for the type, or a smaller number
   * @throws IllegalArgumentException if the value has another class; if the key requires a count and the value is not
   *     one; or if the key begins with {@code ARROW:} and is not in the specification
   */
  public StatisticsBuilder put(String key, Object value, DataType type) {
    return add(checked(key), Objects.requireNonNull(value, "value"), Objects.requireNonNull(type, "type"));
  }

  /** Returns the statistics collected so far. The builder may be used further, without an effect on them. */
  public Statistics build() {
    return new Statistics(new StatisticsTable(table));
  }

  private StatisticsBuilder count(Statistic statistic, long value) {
    return add(statistic.exact, value, DataType.INT64);
  }

  private StatisticsBuilder number(String key, double value) {
    return add(key, value, DataType.FLOAT64);
  }

  private static String checked(String key) {
    if (Objects.requireNonNull(key, "key").startsWith(Statistic.RESERVED) && !Statistic.isStandard(key)) {
      throw new IllegalArgumentException("\"" + key + "\": names that begin with " + Statistic.RESERVED
          + " are reserved for the specification, which does not have this one");
    }
    return key;
  }

  private StatisticsBuilder add(String key, Object given, @Nullable DataType type) {
    Object value = widened(given);
    DataType of = type == null ? typeOf(key, value) : type;
    if (!Field.of("", of).valueClass().isInstance(value))
      throw new IllegalArgumentException("\"" + key + "\": " + isNo(value, TypeNames.of(of)));
    StatisticValue added = StatisticValue.of(of, scaled(key, of, value));
    String complaint = Statistic.complaint(key, added);
    if (complaint != null) throw new IllegalArgumentException("\"" + key + "\" " + complaint);
    table.target(target).put(key, added);
    return this;
  }

  /** Returns the value in the class that {@link Column#get} returns; bytes are copied. */
  private static Object widened(Object value) {
    return switch (value) {
      case Byte number -> number.longValue();
      case Short number -> number.longValue();
      case Integer number -> number.longValue();
      case Float number -> number.doubleValue();
      case byte[] bytes -> bytes.clone();
      default -> value;
    };
  }

  /** Returns a decimal with the scale of its type, as a reader returns it. */
  private static Object scaled(String key, DataType type, Object value) {
    if (!(type instanceof DecimalType decimal) || !(value instanceof BigDecimal number)) return value;
    try {
      return number.setScale(decimal.scale());
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException("\"" + key + "\": " + isNo(value, TypeNames.of(type)), e);
    }
  }

  private static DataType typeOf(String key, Object value) {
    return switch (value) {
      case Boolean _ -> DataType.BOOL;
      case Long _ -> DataType.INT64;
      case Double _ -> DataType.FLOAT64;
      case String _ -> DataType.UTF8;
      case byte[] _ -> DataType.BINARY;
      default -> throw new IllegalArgumentException(
          "\"" + key + "\": " + isNo(value, "bool, int64, float64, utf8 or binary") + "; give its type, too");
    };
  }

  private static String isNo(Object value, String types) {
    return value + ", a " + value.getClass().getSimpleName() + ", is no " + types;
  }
}
