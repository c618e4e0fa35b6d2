// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.columns;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.arbalest.device.builders.ColumnBuilder;

/** The positions of nulls among at most {@link NumberColumn#ROWS} values. */
final class NullMask {
  private final long[] valid = new long[NumberColumn.ROWS / Long.SIZE];
  private final MemorySegment bitmap = MemorySegment.ofArray(valid);
  private boolean hasNulls;

  void clear() {
    hasNulls = false;
  }

  void set(int at) {
    if (!hasNulls) {
      hasNulls = true;
      Arrays.fill(valid, -1);
    }
    valid[at / Long.SIZE] &= ~(1L << at);
  }

  /** Makes appended values null, from the index {@code first} on, and clears the mask. */
  void flush(ColumnBuilder to, long first) {
    if (hasNulls) to.setNulls(first, bitmap, 0);
    hasNulls = false;
  }
}
