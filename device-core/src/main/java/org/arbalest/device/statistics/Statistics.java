// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.statistics;

import com.google.errorprone.annotations.CheckReturnValue;
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
import org.arbalest.device.RecordBatch;
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
 * The known properties of a table, a record batch or an array, without a read of its values: of the whole, and of each
 * column. Immutable; it has no native resources.
 *
 * <p>Statistics cross the C interface as an array of their own, of Arrow's experimental <a
 * href="https://arrow.apache.org/docs/format/StatisticsSchema.html">statistics schema</a>. {@link #of} reads such an
 * array, and {@link #toArray} creates one. Producer and consumer agree on the way to transfer it.
 *
 * <pre>{@code
 * Statistics statistics = Statistics.of(array);
 * long rows = statistics.whole().rowCount().orElse(-1);
 * OptionalLong nulls = statistics.column(Statistics.columnIndex(schema, "trip", "end")).nullCount();
 * }</pre>
 *
 * <p>Columns are numbered from 0, depth first, as in an IPC record batch: each column before its children, and these
 * before the next column. In {@code trip: struct<start: utf8, end: utf8>, price: int64}, column 0 is {@code trip}, 1
 * and 2 are its children, and 3 is {@code price}. In an array that is not a record batch, column 0 is the array itself.
 */
@CheckReturnValue
public final class Statistics {
  private final StatisticsTable table;

  /** Creates statistics, and takes the table over. */
  Statistics(StatisticsTable table) {
    this.table = table;
  }

  /**
   * Reads an array of the statistics schema. The caller still owns the array. Indices may have any width, type ids and
   * fields any order, and counts may be integers of any width. Statistics with unknown names are kept.
   *
   * @throws DeviceException with {@code EINVAL} if the array has another schema, or impossible contents: the message
   *     has the path and the row; with {@code ENOSYS} if the CPU cannot read the array
   */
  public static Statistics of(RecordBatch array) {
    return new Statistics(StatisticsReader.read(array));
  }

  /**
   * Computes the exact statistics of a record batch or an array. Any struct counts as a record batch. The result has
   * the number of rows; for each column, it has the number of nulls, as {@link Column#nullCount} returns it, and the
   * smallest and the largest value. The method reads each value once. The order of text and binary is that of their
   * bytes.
   *
   * <p>There is no smallest and largest value for a column with only nulls or with a NaN, nor for intervals, nested
   * types and extension types. There are no statistics for columns below lists, maps, unions and run-end-encoded types,
   * nor below structs that have nulls. Distinct values are not counted, and widths are not measured.
   *
   * @param array the array, which the caller still owns
   * @throws IllegalStateException if the array is closed, or is not ready
   * @throws DeviceException with {@code ENOSYS} if the CPU cannot read the array; also as reads of its values throw
   */
  public static Statistics compute(DeviceArray array) {
    return new Statistics(ComputedStatistics.of(array));
  }

  /** Creates a builder, which collects statistics one by one. */
  public static StatisticsBuilder builder() {
    return new StatisticsBuilder();
  }

  /**
   * Returns the number of a column.
   *
   * @param path the names of the columns above it, from the top, and then its own name
   * @throws IllegalArgumentException if no column, or more than one, has this path: the message lists the columns
   */
  public static int columnIndex(Schema schema, String... path) {
    return ColumnNumbers.find(schema.fields(), List.of(path));
  }

  /**
   * Returns the statistics of the whole table, record batch or array. Producers often describe an array in column 0
   * instead.
   */
  public Target whole() {
    return target(StatisticsTable.WHOLE);
  }

  /**
   * Returns the statistics of a column; they are empty for an unknown column.
   *
   * @param index the column's number, depth first, as {@link #columnIndex} returns it. {@link RecordBatch#column(int)}
   *     counts only the top level
   * @throws IndexOutOfBoundsException if the number is negative
   */
  public Target column(int index) {
    if (index < 0) throw new IndexOutOfBoundsException("columns are numbered from 0, but the index is " + index);
    return target(index);
  }

  private Target target(int index) {
    return new Target(index, table.targets().getOrDefault(index, Map.of()));
  }

  /** Returns the numbers of the columns that have statistics. */
  public SortedSet<Integer> columns() {
    return Collections.unmodifiableSortedSet(new TreeSet<>(table.targets().tailMap(0).keySet()));
  }

  /**
   * Creates an array of the statistics schema, in main memory. It has a row for the whole, if that has statistics, and
   * one for each column. The caller closes the array.
   *
   * @throws IllegalArgumentException if a value does not fit its type, if its type contains a union inside another
   *     type, or if there are more than 128 types
   */
  public RecordBatch toArray() {
    return StatisticsWriter.write(table);
  }

  /** Returns whether the other statistics have the same values, of the same types, for the same columns. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Statistics that && table.equals(that.table);
  }

  @Override
  public int hashCode() {
    return table.hashCode();
  }

  /** Returns one line for the whole and one for each column. */
  @Override
  public String toString() {
    return table.targets().keySet().stream().map(index -> target(index).toString()).collect(Collectors.joining("\n"));
  }

  /**
   * The statistics of one column, or of the whole. A getter of an exact value is empty if only an approximate value is
   * known. A getter of an approximate value returns the exact value if that is known, because nothing is closer.
   */
  public static final class Target {
    private final int index;
    private final Map<String, StatisticValue> values;

    private Target(int index, Map<String, StatisticValue> values) {
      this.index = index;
      this.values = values;
    }

    /** Returns the exact number of rows; empty if it is unknown. */
    public OptionalLong rowCount() {
      return count(Statistic.ROW_COUNT);
    }

    /** Returns the approximate number of rows; empty if it is unknown. */
    public OptionalDouble approximateRowCount() {
      return number(Statistic.ROW_COUNT);
    }

    /** Returns the exact number of nulls; empty if it is unknown. */
    public OptionalLong nullCount() {
      return count(Statistic.NULL_COUNT);
    }

    /** Returns the approximate number of nulls; empty if it is unknown. */
    public OptionalDouble approximateNullCount() {
      return number(Statistic.NULL_COUNT);
    }

    /** Returns the exact number of distinct values; empty if it is unknown. */
    public OptionalLong distinctCount() {
      return count(Statistic.DISTINCT_COUNT);
    }

    /** Returns the approximate number of distinct values; empty if it is unknown. */
    public OptionalDouble approximateDistinctCount() {
      return number(Statistic.DISTINCT_COUNT);
    }

    /** Returns the exact size of the largest row in bytes; empty if it is unknown. */
    public OptionalLong maxByteWidth() {
      return count(Statistic.MAX_BYTE_WIDTH);
    }

    /** Returns the approximate size of the largest row in bytes; empty if it is unknown. */
    public OptionalDouble approximateMaxByteWidth() {
      return number(Statistic.MAX_BYTE_WIDTH);
    }

    /** Returns the exact average size of a row in bytes; empty if it is unknown. */
    public OptionalDouble averageByteWidth() {
      StatisticValue value = values.get(Statistic.AVERAGE_BYTE_WIDTH.exact);
      return value == null ? OptionalDouble.empty() : OptionalDouble.of(value.number());
    }

    /** Returns the approximate average size of a row in bytes; empty if it is unknown. */
    public OptionalDouble approximateAverageByteWidth() {
      return number(Statistic.AVERAGE_BYTE_WIDTH);
    }

    /**
     * Returns the smallest value, in the class that {@link Column#get} returns; null if it is unknown. {@link #field}
     * of {@link StatisticKeys#MIN_VALUE_EXACT} has its type.
     */
    public @Nullable Object min() {
      return get(Statistic.MIN_VALUE.exact);
    }

    /** Returns the approximate smallest value; see {@link #min}. */
    public @Nullable Object approximateMin() {
      return nearest(Statistic.MIN_VALUE);
    }

    /** Returns the largest value; see {@link #min}, and {@link StatisticKeys#MAX_VALUE_EXACT}. */
    public @Nullable Object max() {
      return get(Statistic.MAX_VALUE.exact);
    }

    /** Returns the approximate largest value; see {@link #min}. */
    public @Nullable Object approximateMax() {
      return nearest(Statistic.MAX_VALUE);
    }

    /**
     * Returns the keys of all known values, such as {@link StatisticKeys#MAX_VALUE_EXACT}, including keys that are not
     * in the specification.
     */
    public Set<String> keys() {
      return Collections.unmodifiableSet(values.keySet());
    }

    /** Returns the value of a key, in the class that {@link Column#get} returns, or null if it is unknown. */
    public @Nullable Object get(String key) {
      StatisticValue value = value(key);
      return value == null ? null : value.get();
    }

    /** Returns the field of a key's value, which has its type, or null if the key is unknown. */
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

    /** Returns the values for people: {@code column 3: ARROW:null_count:exact=0, ARROW:max_value:exact=5}. */
    @Override
    public String toString() {
      return values.entrySet().stream().map(Map.Entry::toString)
          .collect(Collectors.joining(", ", StatisticsTable.name(index) + ": ", ""));
    }
  }
}
