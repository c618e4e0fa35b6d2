// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.staging;

import java.util.ArrayList;
import java.util.List;
import org.arbalest.device.spi.CopyBatch;

/**
 * Main memory that queued tasks have yet to write, in any device's queues: whoever copies from there has to do so in its queue's order, and not at once.
 */
final class PendingWrites {
  private static final List<Range> RANGES = new ArrayList<>();

  private PendingWrites() {}

  /** From an address to before another. */
  record Range(long begin, long end) {}

  static Range add(long begin, long end) {
    Range range = new Range(begin, end);
    synchronized (RANGES) {
      RANGES.add(range);
    }
    return range;
  }

  /** Ends one; a second time is nothing. */
  @SuppressWarnings("ReferenceEquality") // another may be equal
  static void remove(Range range) {
    synchronized (RANGES) {
      for (int i = 0; i < RANGES.size(); i++) {
        if (RANGES.get(i) != range) continue;
        RANGES.set(i, RANGES.getLast());
        RANGES.removeLast();
        return;
      }
    }
  }

  /** Whether some of what the pieces come from is yet to be written. */
  static boolean touch(CopyBatch pieces) {
    synchronized (RANGES) {
      for (Range range : RANGES) {
        for (int i = 0; i < pieces.count(); i++) {
          if (pieces.from(i) < range.end && pieces.from(i) + pieces.bytes(i) > range.begin) return true;
        }
      }
      return false;
    }
  }
}
