// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.statistics;

/**
 * The keys of Arrow's <a href="https://arrow.apache.org/docs/format/StatisticsSchema.html">statistics schema</a>, for
 * {@link Statistics.Target#get}, {@link Statistics.Target#field} and {@link StatisticsBuilder#put(String, Object)}.
 * Most keys also have a getter and a builder method of their own.
 *
 * <pre>{@code Field type = statistics.column(3).field(StatisticKeys.MIN_VALUE_EXACT);}</pre>
 */
public final class StatisticKeys {
  /** The exact average size of a row in bytes: a float64. */
  public static final String AVERAGE_BYTE_WIDTH_EXACT = "ARROW:average_byte_width:exact";

  /** An approximate average size of a row in bytes: a float64. */
  public static final String AVERAGE_BYTE_WIDTH_APPROXIMATE = "ARROW:average_byte_width:approximate";

  /** The exact number of distinct values: an int64. */
  public static final String DISTINCT_COUNT_EXACT = "ARROW:distinct_count:exact";

  /** An approximate number of distinct values: a float64. */
  public static final String DISTINCT_COUNT_APPROXIMATE = "ARROW:distinct_count:approximate";

  /** The exact size of the largest row in bytes: an int64. */
  public static final String MAX_BYTE_WIDTH_EXACT = "ARROW:max_byte_width:exact";

  /** An approximate size of the largest row in bytes: a float64. */
  public static final String MAX_BYTE_WIDTH_APPROXIMATE = "ARROW:max_byte_width:approximate";

  /** The exact largest value, of the column's type. */
  public static final String MAX_VALUE_EXACT = "ARROW:max_value:exact";

  /** An approximate largest value, of the column's type. */
  public static final String MAX_VALUE_APPROXIMATE = "ARROW:max_value:approximate";

  /** The exact smallest value, of the column's type. */
  public static final String MIN_VALUE_EXACT = "ARROW:min_value:exact";

  /** An approximate smallest value, of the column's type. */
  public static final String MIN_VALUE_APPROXIMATE = "ARROW:min_value:approximate";

  /** The exact number of nulls: an int64. */
  public static final String NULL_COUNT_EXACT = "ARROW:null_count:exact";

  /** An approximate number of nulls: a float64. */
  public static final String NULL_COUNT_APPROXIMATE = "ARROW:null_count:approximate";

  /** The exact number of rows: an int64. */
  public static final String ROW_COUNT_EXACT = "ARROW:row_count:exact";

  /** An approximate number of rows: a float64. */
  public static final String ROW_COUNT_APPROXIMATE = "ARROW:row_count:approximate";

  private StatisticKeys() {}
}
