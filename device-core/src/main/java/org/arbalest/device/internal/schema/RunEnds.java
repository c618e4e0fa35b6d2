// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.schema;

import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.memory.Integers;

/**
 * Where the runs of an array end, and which run a position is in. Ends that do not ascend lead to some run, but to none
 * that is not there.
 *
 * @param address of the first end
 * @param bits of each
 * @param count how many runs there are
 */
public record RunEnds(long address, long bits, long count) {
  /** All runs of a struct that is run-end-encoded. */
  public static RunEnds of(Layout layout, long struct) {
    long ends = RawArrowArray.child(struct, 0);
    Layout own = layout.children[0].layout;
    return new RunEnds(RawArrowArray.buffer(ends, 1) + own.width() * RawArrowArray.offset(ends), own.bits,
        RawArrowArray.length(ends));
  }

  /** The position behind a run. */
  public long end(long run) {
    return Integers.get(address, bits, run);
  }

  /** The first run that ends behind a position; {@link #count} if none does. */
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

  /** The run that a position is in; throws {@link MalformedException} if the first run ends before the array begins. */
  public long first(long position) {
    long run = find(position);
    if (position == 0 && run > 0) throw new MalformedException(notBehind(0, end(0), 0));
    return run;
  }

  /** The end of a run that must be there, since there are elements from {@code before} to {@code last}. */
  public long endBehind(long run, long before, long last) {
    if (run >= count) throw new MalformedException(endBefore(last));
    long end = end(run);
    if (end <= before) throw new MalformedException(notBehind(run, end, before));
    return end;
  }

  /** How many runs the positions from one, which is in the run {@code first}, to another are in. */
  public long count(long first, long from, long to) {
    long runs = 0;
    for (long at = from; at < to; runs++) at = endBehind(first + runs, at, to);
    return runs;
  }

  /** Returns the error text for a run that does not end behind the one before. */
  public static String notBehind(long run, long end, long before) {
    return "run_ends[" + run + "] = " + end + " is not behind " + before;
  }

  /** Returns the error text for runs that end before the array does. */
  public String endBefore(long last) {
    return "the runs end at " + last() + ", but offset + length = " + last;
  }

  /** Returns the position behind the last run, or 0 if there are no runs. */
  public long last() {
    return count == 0 ? 0 : end(count - 1);
  }
}
