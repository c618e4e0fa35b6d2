// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.copy;

import java.util.Arrays;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.MalformedException;

/**
 * The ranges of memory that are copied into one allocation, each at a multiple of 64 bytes, and the pointers to them.
 */
final class CopyRanges {
  private static final long ALIGNMENT = 64;

  /** The address of each range's source. */
  long[] from = new long[16];

  /** The offset of each range in the allocation. */
  long[] at = new long[16];

  /** The size of each range in bytes. */
  long[] bytes = new long[16];

  /** The address of the cell that points to the range's copy. */
  private long[] cells = new long[16];

  /** Whether the range is the library's own main memory, independent of the source's memory. */
  boolean[] isOurs = new boolean[16];

  int count;

  /** The size of the allocation in bytes. */
  long total;

  /** Adds a range. A range of 0 bytes also has an address, so that no exported pointer is NULL (ARR-08). */
  void add(long address, long size, long cell) {
    add(address, size, cell, false);
  }

  /** Adds a range, with a flag for the library's own main memory, whose content is already there. */
  void add(long address, long size, long cell, boolean ours) {
    if (total > Layout.MOST_BYTES - size)
      throw new MalformedException(size + " bytes beside " + total + " others do not fit in memory");
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

  /** Sets the cells to the addresses in an allocation. */
  void pointInto(long base) {
    for (int i = 0; i < count; i++) NativeHeap.putLong(cells[i], base + at[i]);
  }

  /** Zeroes the gaps between the ranges. */
  void clearGaps(long base) {
    for (int i = 0; i < count; i++) {
      long end = at[i] + bytes[i];
      long next = i + 1 < count ? at[i + 1] : total;
      if (end < next) NativeHeap.fill(base + end, next - end, (byte) 0);
    }
  }

  /**
   * Returns whether a range's source has the same distance to the previous range's source as the two will have in the
   * allocation.
   */
  boolean follows(int range) {
    return bytes[range] > 0 && !isOurs[range] && !isOurs[range - 1] && bytes[range - 1] > 0
        && from[range] - from[range - 1] == at[range] - at[range - 1];
  }

  /**
   * Returns the bytes of the allocation from one range to the beginning of another, including the gaps between them.
   */
  long span(int first, int end) {
    return at[end - 1] + bytes[end - 1] - at[first];
  }
}
