// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import org.jspecify.annotations.Nullable;

/**
 * Something that is known of the values of a table, or of a column.
 *
 * @param catalog its catalog
 * @param dbSchema its schema
 * @param table the table
 * @param column the column; null for the table as a whole
 * @param key what it is: one of the constants here, or from 1024 on one of {@link AdbcConnection#statisticNames}
 * @param value Long, Double, byte[], or BigDecimal for what C has as unsigned; null if it is not known
 * @param isApproximate whether it need not be exact
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

  /** How many different values, a Long, or a Double if approximate. */
  public static final int DISTINCT_COUNT = 1;

  /** The size of the longest value in bytes, a Long, or a Double if approximate. */
  public static final int MAX_BYTE_WIDTH = 2;

  /** The largest value. */
  public static final int MAX_VALUE = 3;

  /** The smallest value. */
  public static final int MIN_VALUE = 4;

  /** How many nulls, a Long, or a Double if approximate. */
  public static final int NULL_COUNT = 5;

  /** How many rows, a Long, or a Double if approximate. */
  public static final int ROW_COUNT = 6;
}
