// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.copy;

import java.util.Arrays;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.schema.Layout;

/**
 * The offsets at which texts end. If the CPU can read them, they are read in place. Otherwise they are listed, fetched
 * together, and returned in the order in which they were listed.
 */
final class TextEnds {
  /** Whether the CPU may read the source's buffers now. */
  final boolean hostReads;

  private long[] addresses = new long[8];
  private long[] widths = new long[8];
  private int count;
  private long[] values = {};
  private int next;

  TextEnds(boolean hostReads) {
    this.hostReads = hostReads;
  }

  /**
   * Announces the calls of {@link #next}: one for the end of some elements, and if they are only a part, one for the
   * end of all elements.
   */
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

  /** Returns how many offsets must be fetched. */
  int count() {
    return count;
  }

  /** Returns the address of a listed offset. */
  long address(int index) {
    return addresses[index];
  }

  /** Returns the size of a listed offset in bytes. */
  long width(int index) {
    return widths[index];
  }

  void fetched(long[] fetched) {
    values = fetched;
  }

  /** Returns the offset at an index. It must be the next listed one. */
  long next(Layout layout, long source, long index) {
    return hostReads ? Positions.offset(layout, RawArrowArray.buffer(source, 1), index) : values[next++];
  }
}
