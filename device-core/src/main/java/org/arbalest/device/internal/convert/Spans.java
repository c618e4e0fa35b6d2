// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.convert;

import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.RunEnds;

/**
 * Runs of elements that are one and the same, of which there may be many more than runs. Mostly asked for one element
 * after the other.
 */
final class Spans {
  private final long ends;

  /** The number of runs. */
  final long count;

  // The run that was asked for last.
  private long run = -1;
  private long begin;
  private long end;

  /** @param ends the address of where each ends, as a long; stays the caller's */
  Spans(long ends, long count) {
    this.ends = ends;
    this.count = count;
  }

  /** The run that an element is in. */
  long of(long element) {
    if (element < begin || element >= end) find(element);
    return run;
  }

  /** Where the run ends that an element is in. */
  long endOf(long element) {
    of(element);
    return end;
  }

  private void find(long element) {
    run = element == end ? run + 1 : new RunEnds(ends, Long.SIZE, count).find(element);
    begin = run == 0 ? 0 : end(run - 1);
    end = end(run);
  }

  private long end(long of) {
    return NativeHeap.getLong(ends + Long.BYTES * of);
  }
}
