// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.convert;

import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.RunEnds;

/** Runs of identical elements, which can be far more than the runs. Lookups are fastest for consecutive elements. */
final class Spans {
  private final long ends;

  /** The number of runs. */
  final long count;

  // The run of the last lookup.
  private long run = -1;
  private long begin;
  private long end;

  /**
   * Creates runs.
   *
   * @param ends the address of the end of each run, a long each; it belongs to the caller
   */
  Spans(long ends, long count) {
    this.ends = ends;
    this.count = count;
  }

  /** Returns the run of an element. */
  long of(long element) {
    if (element < begin || element >= end) find(element);
    return run;
  }

  /** Returns the end of an element's run. */
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
