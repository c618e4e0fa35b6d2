// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.staging;

import java.util.concurrent.ConcurrentLinkedQueue;
import org.arbalest.device.spi.CopyBatch;

/**
 * The ranges of main memory that queued tasks of any device have not written yet. A copy from such a range must be done
 * in the order of its queue, not at once. Nothing here takes a lock, because drivers' threads call it (DEV-62).
 */
final class PendingWrites {
  private static final ConcurrentLinkedQueue<Range> RANGES = new ConcurrentLinkedQueue<>();

  private PendingWrites() {}

  /**
   * A range from an address (inclusive) to another address (exclusive). Two ranges of the same memory are two entries.
   */
  static final class Range {
    private final long begin;
    private final long end;

    private Range(long begin, long end) {
      this.begin = begin;
      this.end = end;
    }
  }

  static Range add(long begin, long end) {
    Range range = new Range(begin, end);
    RANGES.add(range);
    return range;
  }

  /** Removes a range. A second call has no effect. */
  static void remove(Range range) {
    RANGES.remove(range);
  }

  /** Returns whether the memory that the pieces come from overlaps a pending write. */
  static boolean touch(CopyBatch pieces) {
    for (Range range : RANGES) {
      for (int i = 0; i < pieces.count(); i++) {
        if (pieces.from(i) < range.end && pieces.from(i) + pieces.bytes(i) > range.begin) return true;
      }
    }
    return false;
  }
}
