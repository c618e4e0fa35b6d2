// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.schema;

import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.memory.Integers;

/**
 * The ends of an array's runs, and lookups of the run at a position. If the ends do not ascend, a lookup returns an
 * arbitrary run, but never one outside the array.
 *
 * @param address the address of the first end
 * @param bits the width of each end
 * @param count the number of runs
 */
public record RunEnds(long address, long bits, long count) {
  /** Returns all runs of a run-end-encoded struct. */
  public static RunEnds of(Layout layout, long struct) {
    long ends = RawArrowArray.child(struct, 0);
    Layout own = layout.children[0].layout;
    return new RunEnds(RawArrowArray.buffer(ends, 1) + own.width() * RawArrowArray.offset(ends), own.bits,
        RawArrowArray.length(ends));
  }

  /** Returns the position after a run. */
  public long end(long run) {
    return Integers.get(address, bits, run);
  }

  /** Returns the first run that ends after a position, or {@link #count} without one. */
  public long find(long position) {
    long low = 0;
    long high = count;
    while (low < high) {
      long middle = (low + high) >>> 1;
      if (end(middle) > position) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /** Returns the run at a position. Throws {@link MalformedException} if the first run ends before the array begins. */
  public long first(long position) {
    long run = find(position);
    if (position == 0 && run > 0) throw new MalformedException(notBehind(0, end(0), 0));
    return run;
  }

  /**
   * Returns the end of a run. Throws unless the run exists and ends after {@code before}, which elements up to
   * {@code last} require.
   */
  public long endBehind(long run, long before, long last) {
    if (run >= count) throw new MalformedException(endBefore(last));
    long end = end(run);
    if (end <= before) throw new MalformedException(notBehind(run, end, before));
    return end;
  }

  /** Returns the number of runs between two positions. The position {@code from} is in the run {@code first}. */
  public long count(long first, long from, long to) {
    long runs = 0;
    for (long at = from; at < to; runs++) at = endBehind(first + runs, at, to);
    return runs;
  }

  /** Returns the error text for a run that does not end after the run before. */
  public static String notBehind(long run, long end, long before) {
    return "run_ends[" + run + "] = " + end + " is not behind " + before;
  }

  /** Returns the error text for runs that end before the array does. */
  public String endBefore(long last) {
    return "the runs end at " + last() + ", but offset + length = " + last;
  }

  /** Returns the position after the last run, or 0 without runs. */
  public long last() {
    return count == 0 ? 0 : end(count - 1);
  }
}
