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
 * Collects statistics: of the whole at first, and of a column after {@link #column} said which. Values are given as
 * {@link Column#get} answers them; what is given again takes the place of what was there.
 *
 * <pre>{@code
 * Statistics statistics = Statistics.builder().rowCount(5)
 *     .column(0).nullCount(0).distinctCount(2).min(1).max(5)
 *     .column(1).nullCount(1)
 *     .build();
 * }</pre>
 *
 * <p>Not for several threads at once.
 */
public final class StatisticsBuilder {
  private final StatisticsTable table = new StatisticsTable();
  private int target = StatisticsTable.WHOLE;

  StatisticsBuilder() {}

  /** What follows is of the whole table, record batch or array. */
  public StatisticsBuilder whole() {
    target = StatisticsTable.WHOLE;
    return this;
  }

  /** What follows is of this column; {@link Statistics} says how columns are numbered. */
  public StatisticsBuilder column(int index) {
    if (index < 0) throw new IndexOutOfBoundsException("columns are numbered from 0, but " + index + " was given");
    target = index;
    return this;
  }

  /** The number of rows. */
  public StatisticsBuilder rowCount(long exact) {
    return count(Statistic.ROW_COUNT, exact);
  }

  /** About the number of rows. */
  public StatisticsBuilder approximateRowCount(double approximate) {
    return number(Statistic.ROW_COUNT.approximate, approximate);
  }

  /** The number of nulls. */
  public StatisticsBuilder nullCount(long exact) {
    return count(Statistic.NULL_COUNT, exact);
  }

  /** About the number of nulls. */
  public StatisticsBuilder approximateNullCount(double approximate) {
    return number(Statistic.NULL_COUNT.approximate, approximate);
  }

  /** The number of distinct values. */
  public StatisticsBuilder distinctCount(long exact) {
    return count(Statistic.DISTINCT_COUNT, exact);
  }

  /** About the number of distinct values. */
  public StatisticsBuilder approximateDistinctCount(double approximate) {
    return number(Statistic.DISTINCT_COUNT.approximate, approximate);
  }

  /** The bytes of the largest row. */
  public StatisticsBuilder maxByteWidth(long exact) {
    return count(Statistic.MAX_BYTE_WIDTH, exact);
  }

  /** About the bytes of the largest row. */
  public StatisticsBuilder approximateMaxByteWidth(double approximate) {
    return number(Statistic.MAX_BYTE_WIDTH.approximate, approximate);
  }

  /** The average bytes of a row. */
  public StatisticsBuilder averageByteWidth(double exact) {
    return number(Statistic.AVERAGE_BYTE_WIDTH.exact, exact);
  }

  /** About the average bytes of a row. */
  public StatisticsBuilder approximateAverageByteWidth(double approximate) {
    return number(Statistic.AVERAGE_BYTE_WIDTH.approximate, approximate);
  }

  /** The smallest value, of the type that {@link #put(String, Object)} says. */
  public StatisticsBuilder min(Object exact) {
    return add(Statistic.MIN_VALUE.exact, Objects.requireNonNull(exact, "exact"), null);
  }

  /** The smallest value, of a type. */
  public StatisticsBuilder min(Object exact, DataType type) {
    return add(Statistic.MIN_VALUE.exact, Objects.requireNonNull(exact, "exact"), Objects.requireNonNull(type, "type"));
  }

  /** About the smallest value. */
  public StatisticsBuilder approximateMin(Object approximate) {
    return add(Statistic.MIN_VALUE.approximate, Objects.requireNonNull(approximate, "approximate"), null);
  }

  /** About the smallest value, of a type. */
  public StatisticsBuilder approximateMin(Object approximate, DataType type) {
    return add(Statistic.MIN_VALUE.approximate, Objects.requireNonNull(approximate, "approximate"),
        Objects.requireNonNull(type, "type"));
  }

  /** The largest value, of the type that {@link #put(String, Object)} says. */
  public StatisticsBuilder max(Object exact) {
    return add(Statistic.MAX_VALUE.exact, Objects.requireNonNull(exact, "exact"), null);
  }

  /** The largest value, of a type. */
  public StatisticsBuilder max(Object exact, DataType type) {
    return add(Statistic.MAX_VALUE.exact, Objects.requireNonNull(exact, "exact"), Objects.requireNonNull(type, "type"));
  }

  /** About the largest value. */
  public StatisticsBuilder approximateMax(Object approximate) {
    return add(Statistic.MAX_VALUE.approximate, Objects.requireNonNull(approximate, "approximate"), null);
  }

  /** About the largest value, of a type. */
  public StatisticsBuilder approximateMax(Object approximate, DataType type) {
    return add(Statistic.MAX_VALUE.approximate, Objects.requireNonNull(approximate, "approximate"),
        Objects.requireNonNull(type, "type"));
  }

  /**
   * A value by its key, of the specification's ({@link StatisticKeys}) or of one's own, which does not begin with
   * {@code ARROW:} but with the name of a product.
   *
   * @param value a Boolean; a Long or a smaller integer, which makes an int64; a Double or a Float, which makes a
   *     float64; a String; bytes
   */
  public StatisticsBuilder put(String key, Object value) {
    return add(checked(key), Objects.requireNonNull(value, "value"), null);
  }

  /**
   * The same, of a type.
   *
   * @param value as {@link Field#valueClass} says for the type, or a smaller number
   * @throws IllegalArgumentException if it is not; if it is no count, where the key asks for one; if the specification
   *     reserves the key, and has not got it
   */
  public StatisticsBuilder put(String key, Object value, DataType type) {
    return add(checked(key), Objects.requireNonNull(value, "value"), Objects.requireNonNull(type, "type"));
  }

  /** What was collected so far. */
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
          + " are the specification's, and this is none");
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

  /** As {@link Column#get} has it; nobody else's. */
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

  /** With as many digits behind the point as the type has, as it comes back. */
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
