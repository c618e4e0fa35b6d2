// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.copy;

import java.util.Arrays;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.schema.Layout;

/**
 * The offsets that say where texts end: read where they are or, where the CPU cannot read, first listed and fetched all
 * at once, and then handed out in the order in which they were listed.
 */
final class TextEnds {
  /** Whether the CPU may read the source's buffers, now. */
  final boolean hostReads;

  private long[] addresses = new long[8];
  private long[] widths = new long[8];
  private int count;
  private long[] values = {};
  private int next;

  TextEnds(boolean hostReads) {
    this.hostReads = hostReads;
  }

  /** That {@link #next} will be asked for where elements end, and, if they are a part, for where all end. */
  void list(Layout layout, long source, long end) {
    if (hostReads) return;
    add(layout, source, end);
    if (end != Positions.end(source)) add(layout, source, Positions.end(source));
  }

  private void add(Layout layout, long source, long end) {
    if (count == addresses.length) {
      addresses = Arrays.copyOf(addresses, 2 * count);
      widths = Arrays.copyOf(widths, 2 * count);
    }
    widths[count] = layout.width();
    addresses[count++] = RawArrowArray.buffer(source, 1) + layout.width() * end;
  }

  /** How many are to be fetched. */
  int count() {
    return count;
  }

  /** Where one of them lies. */
  long address(int index) {
    return addresses[index];
  }

  /** How many bytes it has. */
  long width(int index) {
    return widths[index];
  }

  void fetched(long[] fetched) {
    values = fetched;
  }

  /** The offset at an index; what was listed, and nothing else. */
  long next(Layout layout, long source, long index) {
    return hostReads ? Positions.offset(layout, RawArrowArray.buffer(source, 1), index) : values[next++];
  }
}
