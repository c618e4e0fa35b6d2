// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks.spark;

import java.util.List;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Schema;

/**
 * The values of the table, computed from the row number. Doubles are whole numbers, so that their sums are exact in any
 * order.
 */
final class Numbers {
  /** The number of different keys. */
  static final int KEYS = 100;

  /** The schema. Only the last column has nulls, in a tenth of the rows. */
  static final Schema SCHEMA = Schema.of(List.of(
      Field.of("id", DataType.INT64).withNullable(false),
      Field.of("key", DataType.INT32).withNullable(false),
      Field.of("value", DataType.FLOAT64).withNullable(false),
      Field.of("other", DataType.INT64)));

  private Numbers() {}

  static int key(long id) {
    return (int) (id * 7919 % KEYS);
  }

  static double value(long id) {
    return id * 104_729 % 1_000_003;
  }

  static long other(long id) {
    return id * 15_485_863 % 1_000_000_007;
  }

  static boolean isOtherNull(long id) {
    return other(id) % 10 == 3;
  }
}
