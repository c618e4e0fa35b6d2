// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.validate;

import java.util.Map;
import java.util.TreeMap;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.memory.Utf8Scan;

/**
 * What of a buffer is known to be UTF-8, for texts that overlap: no byte is looked at twice, however many texts it is
 * in. What is known are ranges of whole characters, none beside another; so a text within one is valid if both its ends
 * are between characters.
 */
final class TextRanges {
  /** The end of each range by its start. */
  private final TreeMap<Long, Long> ranges = new TreeMap<>();

  /** Whether the bytes from one on to another, of which there are some, are UTF-8. */
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

  /** Whether a place is within a character of what is known. */
  private boolean isInside(long data, long at) {
    Map.Entry<Long, Long> range = ranges.floorEntry(at);
    return range != null && range.getKey() < at && at < range.getValue()
        && (NativeHeap.getByte(data + at) & 0xC0) == 0x80;
  }
}
