// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.statistics;

import org.arbalest.device.types.Field;

/**
 * The keys that Arrow's <a href="https://arrow.apache.org/docs/format/StatisticsSchema.html">statistics schema</a> has,
 * for {@link Statistics.Target#get}, {@link Statistics.Target#field} and {@link StatisticsBuilder#put(String, Object)}.
 * Most have getters of their own, and appends.
 *
 * <pre>{@code Field type = statistics.column(3).field(StatisticKeys.MIN_VALUE_EXACT);}</pre>
 */
public final class StatisticKeys {
  /** The average bytes of a row, a float64. */
  public static final String AVERAGE_BYTE_WIDTH_EXACT = "ARROW:average_byte_width:exact";

  /** About the average bytes of a row, a float64. */
  public static final String AVERAGE_BYTE_WIDTH_APPROXIMATE = "ARROW:average_byte_width:approximate";

  /** The number of distinct values, an int64. */
  public static final String DISTINCT_COUNT_EXACT = "ARROW:distinct_count:exact";

  /** About the number of distinct values, a float64. */
  public static final String DISTINCT_COUNT_APPROXIMATE = "ARROW:distinct_count:approximate";

  /** The bytes of the largest row, an int64. */
  public static final String MAX_BYTE_WIDTH_EXACT = "ARROW:max_byte_width:exact";

  /** About the bytes of the largest row, a float64. */
  public static final String MAX_BYTE_WIDTH_APPROXIMATE = "ARROW:max_byte_width:approximate";

  /** The largest value, of the column's type. */
  public static final String MAX_VALUE_EXACT = "ARROW:max_value:exact";

  /** About the largest value, of the column's type. */
  public static final String MAX_VALUE_APPROXIMATE = "ARROW:max_value:approximate";

  /** The smallest value, of the column's type. */
  public static final String MIN_VALUE_EXACT = "ARROW:min_value:exact";

  /** About the smallest value, of the column's type. */
  public static final String MIN_VALUE_APPROXIMATE = "ARROW:min_value:approximate";

  /** The number of nulls, an int64. */
  public static final String NULL_COUNT_EXACT = "ARROW:null_count:exact";

  /** About the number of nulls, a float64. */
  public static final String NULL_COUNT_APPROXIMATE = "ARROW:null_count:approximate";

  /** The number of rows, an int64. */
  public static final String ROW_COUNT_EXACT = "ARROW:row_count:exact";

  /** About the number of rows, a float64. */
  public static final String ROW_COUNT_APPROXIMATE = "ARROW:row_count:approximate";

  private StatisticKeys() {}
}
