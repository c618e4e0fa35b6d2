// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.statistics;

import java.util.Objects;
import org.arbalest.device.columns.Column;
import org.arbalest.device.types.DataType;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.types.NestedType.StructType;

/**
 * Finds out the statistics of an array: exact ones, of those columns of which it is beyond doubt which rows they have.
 */
public final class ComputedStatistics {
  private final StatisticsTable table = new StatisticsTable();

  /** The number of the next column. */
  private int next;

  private ComputedStatistics() {}

  /** What an array's values say; the handle stays as it is. */
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

  /** A column, and those below it. */
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

  /** The fields of a struct; of one that has nulls itself, and of what is below it, nobody says which rows count. */
  private void fields(StructType struct, Column column, boolean isVisible) {
    boolean areVisible = isVisible && column.nullCount() == 0;
    for (int i = 0; i < struct.fields().size(); i++) column(column.column(i), areVisible);
  }

  private void put(int number, String key, Column column, long row) {
    Object value = Objects.requireNonNull(column.get(row));
    table.target(number).put(key, StatisticValue.of(column.field().valueType(), value));
  }
}
