// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.copy;

import java.util.Arrays;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.MalformedException;

/**
 * The ranges of memory that become one allocation, each at a multiple of 64 bytes; and the pointers that are to lead to
 * them there.
 */
final class CopyRanges {
  private static final long ALIGNMENT = 64;

  /** From which address each range is copied. */
  long[] from = new long[16];

  /** To where in the allocation. */
  long[] at = new long[16];

  /** How many bytes. */
  long[] bytes = new long[16];

  /** The cell that is to point there. */
  private long[] cells = new long[16];

  /** Whether it is main memory of ours, wherever the source is. */
  boolean[] isOurs = new boolean[16];

  int count;

  /** The size of the allocation. */
  long total;

  /** A range; of no bytes, it is still somewhere, so that no exported pointer is NULL (ARR-08). */
  void add(long address, long size, long cell) {
    add(address, size, cell, false);
  }

  /** Likewise; says whether it comes from main memory of ours, which is there already. */
  void add(long address, long size, long cell, boolean ours) {
    if (total > Layout.MOST_BYTES - size)
      throw new MalformedException(size + " bytes beside " + total + " others are more than memory has");
    if (count == from.length) grow();
    from[count] = address;
    at[count] = total;
    bytes[count] = size;
    isOurs[count] = ours;
    cells[count++] = cell;
    total = (total + size + ALIGNMENT - 1) & -ALIGNMENT;
  }

  private void grow() {
    from = Arrays.copyOf(from, 2 * count);
    at = Arrays.copyOf(at, 2 * count);
    bytes = Arrays.copyOf(bytes, 2 * count);
    cells = Arrays.copyOf(cells, 2 * count);
    isOurs = Arrays.copyOf(isOurs, 2 * count);
  }

  /** Lets the cells point into an allocation. */
  void pointInto(long base) {
    for (int i = 0; i < count; i++) NativeHeap.putLong(cells[i], base + at[i]);
  }

  /** Zeroes what lies between the ranges. */
  void clearGaps(long base) {
    for (int i = 0; i < count; i++) {
      long end = at[i] + bytes[i];
      long next = i + 1 < count ? at[i + 1] : total;
      if (end < next) NativeHeap.fill(base + end, next - end, (byte) 0);
    }
  }

  /** Whether a range lies behind the one before where it comes from as it will in the allocation. */
  boolean follows(int range) {
    return bytes[range] > 0 && !isOurs[range] && !isOurs[range - 1] && bytes[range - 1] > 0
        && from[range] - from[range - 1] == at[range] - at[range - 1];
  }

  /** The bytes of the allocation from one range to before another, what lies between them included. */
  long span(int first, int end) {
    return at[end - 1] + bytes[end - 1] - at[first];
  }
}
