// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.validate;

import java.util.Map;
import java.util.TreeMap;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.memory.Utf8Scan;

/**
 * The ranges of a buffer that are known to be UTF-8, for texts that overlap. Each byte is checked once, regardless of
 * the number of texts that contain it.
 *
 * <p>The ranges consist of whole characters, and none touches another. A text within a range is therefore valid if both
 * its ends are between characters.
 */
final class TextRanges {
  /** The end of each range by its start. */
  private final TreeMap<Long, Long> ranges = new TreeMap<>();

  /** Returns whether the bytes from {@code from} to {@code to}, at least one, are UTF-8. */
  boolean isValid(long data, long from, long to) {
    if (isInside(data, from) || isInside(data, to)) return false;
    long start = from;
    Map.Entry<Long, Long> before = ranges.floorEntry(from);
    long at = from;
    if (before != null && before.getValue() >= from) {
      start = before.getKey();
      at = before.getValue();
    }
    while (at < to) {
      Long next = ranges.ceilingKey(at);
      long gap = next == null || next > to ? to : next;
      if (!Utf8Scan.isValid(data + at, gap - at)) return false;
      Long end = ranges.get(gap);
      at = end == null ? gap : end;
    }
    ranges.subMap(start, true, to, true).clear();
    ranges.put(start, Math.max(at, to));
    return true;
  }

  /** Returns whether a position is within a character of a known range. */
  private boolean isInside(long data, long at) {
    Map.Entry<Long, Long> range = ranges.floorEntry(at);
    return range != null && range.getKey() < at && at < range.getValue()
        && (NativeHeap.getByte(data + at) & 0xC0) == 0x80;
  }
}
