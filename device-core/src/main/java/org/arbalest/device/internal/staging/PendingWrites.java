// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.staging;

import java.util.concurrent.ConcurrentLinkedQueue;
import org.arbalest.device.spi.CopyBatch;

/**
 * Main memory that queued tasks have yet to write, in any device's queues: whoever copies from there has to do so in
 * its queue's order, and not at once. Nothing here takes a lock, since the threads of drivers come here (DEV-62).
 */
final class PendingWrites {
  private static final ConcurrentLinkedQueue<Range> RANGES = new ConcurrentLinkedQueue<>();

  private PendingWrites() {}

  /** From an address to before another. Two of the same memory are two. */
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

  /** Ends one; a second time is nothing. */
  static void remove(Range range) {
    RANGES.remove(range);
  }

  /** Whether some of what the pieces come from is yet to be written. */
  static boolean touch(CopyBatch pieces) {
    for (Range range : RANGES) {
      for (int i = 0; i < pieces.count(); i++) {
        if (pieces.from(i) < range.end && pieces.from(i) + pieces.bytes(i) > range.begin) return true;
      }
    }
    return false;
  }
}
