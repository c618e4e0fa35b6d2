// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.statistics;

import java.util.Objects;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.columns.Column;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.NestedType.StructType;

/** Computes the exact statistics of an array. It skips the columns whose visible rows are not certain. */
public final class ComputedStatistics {
  private final StatisticsTable table = new StatisticsTable();

  /** The number of the next column. */
  private int next;

  private ComputedStatistics() {}

  /** Returns the statistics of an array's values. The handle stays open. */
  public static StatisticsTable of(DeviceArray array) {
    ComputedStatistics computed = new ComputedStatistics();
    try (DeviceArray held = array.retain()) {
      Column whole = held.asColumn();
      if (whole.field().type() instanceof StructType struct) {
        computed.put(StatisticsTable.WHOLE, Statistic.ROW_COUNT.exact, whole.length());
        computed.fields(struct, whole, true);
      } else {
        computed.put(0, Statistic.ROW_COUNT.exact, whole.length());
        computed.column(whole, true);
      }
    }
    return computed.table;
  }

  private void put(int column, String key, long count) {
    table.target(column).put(key, StatisticValue.of(DataType.INT64, count));
  }

  /** Adds the statistics of a column and its descendants. */
  private void column(Column column, boolean isVisible) {
    int number = next++;
    if (isVisible) {
      put(number, Statistic.NULL_COUNT.exact, column.nullCount());
      Extremes extremes = Extremes.of(column);
      if (extremes != null) {
        put(number, Statistic.MIN_VALUE.exact, column, extremes.min());
        put(number, Statistic.MAX_VALUE.exact, column, extremes.max());
      }
    }
    if (column.field().type() instanceof StructType struct) {
      fields(struct, column, isVisible);
    } else {
      next += ColumnNumbers.count(column.field()) - 1;
    }
  }

  /**
   * Adds the statistics of a struct's fields. If the struct or an ancestor has nulls, it skips the fields and their
   * descendants, because the specification does not say which of their rows count.
   */
  private void fields(StructType struct, Column column, boolean isVisible) {
    boolean areVisible = isVisible && column.nullCount() == 0;
    for (int i = 0; i < struct.fields().size(); i++) column(column.column(i), areVisible);
  }

  private void put(int number, String key, Column column, long row) {
    Object value = Objects.requireNonNull(column.get(row));
    table.target(number).put(key, StatisticValue.of(column.field().valueType(), value));
  }
}
