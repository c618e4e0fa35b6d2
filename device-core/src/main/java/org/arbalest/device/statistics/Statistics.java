// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.statistics;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceException;
import org.arbalest.device.columns.Column;
import org.arbalest.device.internal.statistics.ColumnNumbers;
import org.arbalest.device.internal.statistics.ComputedStatistics;
import org.arbalest.device.internal.statistics.Statistic;
import org.arbalest.device.internal.statistics.StatisticValue;
import org.arbalest.device.internal.statistics.StatisticsReader;
import org.arbalest.device.internal.statistics.StatisticsTable;
import org.arbalest.device.internal.statistics.StatisticsWriter;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a table, a record batch or an array without reading it: of the whole, and of each column. It crosses
 * the C interface as an array of its own, of Arrow's statistics schema (<a
 * href="https://arrow.apache.org/docs/format/StatisticsSchema.html">Statistics schema</a>, experimental there):
 * {@link #of} reads one, {@link #toArray} writes one. How it gets to the other side is a matter of those who agree on
 * it. Immutable; holds nothing native.
 *
 * <pre>{@code
 * Statistics statistics = Statistics.of(array);
 * long rows = statistics.whole().rowCount().orElse(-1);
 * OptionalLong nulls = statistics.column(Statistics.columnIndex(schema, "trip", "end")).nullCount();
 * }</pre>
 *
 * <p>Columns are numbered from 0 as in a record batch of IPC: each before those below it, and these before the next
 * one. Of {@code trip: struct<start: utf8, end: utf8>, price: int64} they are 0, of which 1 and 2 are below, and 3. Of
 * an array that is no record batch, 0 is the array itself.
 */
public final class Statistics {
  private final StatisticsTable table;

  /** Takes the table over. */
  Statistics(StatisticsTable table) {
    this.table = table;
  }

  /**
   * Reads an array of the statistics schema, which stays the caller's: of any index width, type ids and order of
   * fields; counts may be integers of any width. What the specification has no name for is kept.
   *
   * @throws DeviceException with {@code EINVAL} if it is none, or says what cannot be: the path, the row; with
   *     {@code ENOSYS} where the CPU cannot read it
   */
  public static Statistics of(DeviceArray array) {
    return new Statistics(StatisticsReader.read(array));
  }

  /**
   * Finds out the exact statistics of a record batch, which any struct is taken for, or of an array: the number of
   * rows; of each column the nulls, as {@link Column#nullCount} has them, and the smallest and the largest value, for
   * which each value is read once. Text and binary are in the order of their bytes.
   *
   * <p>There is no smallest and largest value of columns of which all rows are null, or one is NaN; of intervals,
   * nested and extension types. There is nothing of what is below lists, maps, unions and run-ends, and below structs
   * that have nulls. Distinct values are not counted, widths are not measured.
   *
   * @param array stays the caller's
   * @throws IllegalStateException if the array was closed, or is not ready
   * @throws DeviceException with {@code ENOSYS} where the CPU cannot read it; what reading it throws
   */
  public static Statistics compute(DeviceArray array) {
    return new Statistics(ComputedStatistics.of(array));
  }

  /** Collects statistics one by one. */
  public static StatisticsBuilder builder() {
    return new StatisticsBuilder();
  }

  /**
   * The number of a column.
   *
   * @param path the column's name, or those of the columns that it is below, and its name
   * @throws IllegalArgumentException if there is none, or several: says which there are
   */
  public static int columnIndex(Schema schema, String... path) {
    return ColumnNumbers.find(schema.fields(), List.of(path));
  }

  /** What is known of the whole table, record batch or array; of an array, that is often said of column 0. */
  public Target whole() {
    return target(StatisticsTable.WHOLE);
  }

  /** What is known of a column; nothing of one that is not there. */
  public Target column(int index) {
    if (index < 0) throw new IndexOutOfBoundsException("columns are numbered from 0, but " + index + " was asked for");
    return target(index);
  }

  private Target target(int index) {
    return new Target(index, table.targets().getOrDefault(index, Map.of()));
  }

  /** The columns that something is said of. */
  public SortedSet<Integer> columns() {
    return Collections.unmodifiableSortedSet(new TreeSet<>(table.targets().tailMap(0).keySet()));
  }

  /**
   * An array of the statistics schema, in main memory, which the caller must close: a row for the whole, if something
   * is said of it, and one for each column.
   *
   * @throws IllegalArgumentException if a value is none that its type has, or of a union within another type; if there
   *     are more than 128 types
   */
  public DeviceArray toArray() {
    return StatisticsWriter.write(table);
  }

  /** Whether the other says the same of the same columns, by values of the same types. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Statistics that && table.equals(that.table);
  }

  @Override
  public int hashCode() {
    return table.hashCode();
  }

  /** A line for the whole and for each column. */
  @Override
  public String toString() {
    return table.targets().keySet().stream().map(index -> target(index).toString()).collect(Collectors.joining("\n"));
  }

  /**
   * What is known of one column, or of the whole. A getter for an exact value is empty where only an approximate one is
   * known; one for an approximate value answers the exact one where that is known, since nothing is nearer.
   */
  public static final class Target {
    private final int index;
    private final Map<String, StatisticValue> values;

    private Target(int index, Map<String, StatisticValue> values) {
      this.index = index;
      this.values = values;
    }

    /** The number of rows. */
    public OptionalLong rowCount() {
      return count(Statistic.ROW_COUNT);
    }

    /** About the number of rows. */
    public OptionalDouble approximateRowCount() {
      return number(Statistic.ROW_COUNT);
    }

    /** The number of nulls. */
    public OptionalLong nullCount() {
      return count(Statistic.NULL_COUNT);
    }

    /** About the number of nulls. */
    public OptionalDouble approximateNullCount() {
      return number(Statistic.NULL_COUNT);
    }

    /** The number of distinct values. */
    public OptionalLong distinctCount() {
      return count(Statistic.DISTINCT_COUNT);
    }

    /** About the number of distinct values. */
    public OptionalDouble approximateDistinctCount() {
      return number(Statistic.DISTINCT_COUNT);
    }

    /** The bytes of the largest row. */
    public OptionalLong maxByteWidth() {
      return count(Statistic.MAX_BYTE_WIDTH);
    }

    /** About the bytes of the largest row. */
    public OptionalDouble approximateMaxByteWidth() {
      return number(Statistic.MAX_BYTE_WIDTH);
    }

    /** The average bytes of a row. */
    public OptionalDouble averageByteWidth() {
      StatisticValue value = values.get(Statistic.AVERAGE_BYTE_WIDTH.exact);
      return value == null ? OptionalDouble.empty() : OptionalDouble.of(value.number());
    }

    /** About the average bytes of a row. */
    public OptionalDouble approximateAverageByteWidth() {
      return number(Statistic.AVERAGE_BYTE_WIDTH);
    }

    /**
     * The smallest value, as {@link Column#get} answers it; null if it is not known. {@link #field} of
     * {@link StatisticKeys#MIN_VALUE_EXACT} has its type.
     */
    public @Nullable Object min() {
      return get(Statistic.MIN_VALUE.exact);
    }

    /** About the smallest value; see {@link #min}. */
    public @Nullable Object approximateMin() {
      return nearest(Statistic.MIN_VALUE);
    }

    /** The largest value; see {@link #min}, and {@link StatisticKeys#MAX_VALUE_EXACT}. */
    public @Nullable Object max() {
      return get(Statistic.MAX_VALUE.exact);
    }

    /** About the largest value; see {@link #min}. */
    public @Nullable Object approximateMax() {
      return nearest(Statistic.MAX_VALUE);
    }

    /**
     * The keys of all that is known, such as {@link StatisticKeys#MAX_VALUE_EXACT}, also those that the specification
     * does not have.
     */
    public Set<String> keys() {
      return Collections.unmodifiableSet(values.keySet());
    }

    /** The value of a key, as {@link Column#get} answers it, or null. */
    public @Nullable Object get(String key) {
      StatisticValue value = value(key);
      return value == null ? null : value.get();
    }

    /** What the value of a key is of, its type above all; or null. */
    public @Nullable Field field(String key) {
      StatisticValue value = value(key);
      return value == null ? null : value.field();
    }

    private @Nullable StatisticValue value(String key) {
      return values.get(Objects.requireNonNull(key, "key"));
    }

    private OptionalLong count(Statistic statistic) {
      StatisticValue value = values.get(statistic.exact);
      return value == null ? OptionalLong.empty() : OptionalLong.of(value.count());
    }

    private OptionalDouble number(Statistic statistic) {
      StatisticValue value = values.getOrDefault(statistic.exact, values.get(statistic.approximate));
      return value == null ? OptionalDouble.empty() : OptionalDouble.of(value.number());
    }

    private @Nullable Object nearest(Statistic statistic) {
      Object exact = get(statistic.exact);
      return exact == null ? get(statistic.approximate) : exact;
    }

    /** For people: {@code column 3: ARROW:null_count:exact=0, ARROW:max_value:exact=5}. */
    @Override
    public String toString() {
      return values.entrySet().stream().map(Map.Entry::toString)
          .collect(Collectors.joining(", ", StatisticsTable.name(index) + ": ", ""));
    }
  }
}
