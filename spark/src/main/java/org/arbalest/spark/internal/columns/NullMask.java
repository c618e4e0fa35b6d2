// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.columns;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.arbalest.device.builders.ColumnBuilder;

/** Which of at most {@link NumberColumn#ROWS} values are null. */
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

  /** Makes values null that were appended, from the first on; forgets them here. */
  void flush(ColumnBuilder to, long first) {
    if (hasNulls) to.setNulls(first, bitmap, 0);
    hasNulls = false;
  }
}
