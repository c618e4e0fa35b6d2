// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import org.jspecify.annotations.Nullable;

/**
 * A statistic about the values of a table or of a column.
 *
 * @param catalog the table's catalog
 * @param dbSchema the table's schema
 * @param table the table
 * @param column the column; null for the whole table
 * @param key the kind of statistic: a constant of this class, or from 1024 on a key of {@link
 *     AdbcConnection#statisticNames}
 * @param value Long, Double, byte[], or BigDecimal for an unsigned number in C; null if unknown
 * @param isApproximate whether the value may be approximate
 */
public record AdbcStatistic(
    @Nullable String catalog,
    @Nullable String dbSchema,
    String table,
    @Nullable String column,
    int key,
    @Nullable Object value,
    boolean isApproximate) {
  /** The average size of a value in bytes, a Double. */
  public static final int AVERAGE_BYTE_WIDTH = 0;

  /** The number of distinct values, a Long, or a Double if approximate. */
  public static final int DISTINCT_COUNT = 1;

  /** The size of the longest value in bytes, a Long, or a Double if approximate. */
  public static final int MAX_BYTE_WIDTH = 2;

  /** The largest value. */
  public static final int MAX_VALUE = 3;

  /** The smallest value. */
  public static final int MIN_VALUE = 4;

  /** The number of nulls, a Long, or a Double if approximate. */
  public static final int NULL_COUNT = 5;

  /** The number of rows, a Long, or a Double if approximate. */
  public static final int ROW_COUNT = 6;
}
