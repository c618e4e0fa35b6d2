// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.copy;

import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.schema.Layout;

/**
 * The elements of one struct that are copied.
 *
 * @param first the first of them
 * @param count how many are copied
 * @param skip how many of these the copy's offset skips, since its bitmap begins with a whole byte
 * @param hidden how many of the first are invisible: those skipped, here or in a parent
 */
record Window(long first, long count, long skip, long hidden) {
  /** The elements from {@code start} on, of which the first {@code hidden} are invisible; no element of an empty struct. */
  static Window of(Layout layout, long source, long start, long length, long hidden) {
    if (length == 0) return new Window(0, 0, 0, hidden);
    boolean hasBitmap = layout.bits % 8 != 0 || (layout.shape.hasValidity && RawArrowArray.buffer(source, 0) != 0);
    long skip = hasBitmap ? start & 7 : 0;
    return new Window(start - skip, Math.addExact(length, skip), skip, hidden + skip);
  }

  /** The window of all elements of a struct. */
  static Window all(Layout layout, long source) {
    return of(layout, source, RawArrowArray.offset(source), RawArrowArray.length(source), 0);
  }

  /** The window of a child: the elements that belong to these; all of them, where a buffer says which. */
  Window below(Layout layout, int index, long child) {
    Layout below = layout.children[index].layout;
    if (count == 0) return of(below, child, 0, 0, 0);
    long each = Positions.each(layout);
    if (each == Positions.ALL) return all(below, child);
    long start = Math.addExact(RawArrowArray.offset(child), Math.multiplyExact(first, each));
    return of(below, child, start, Math.multiplyExact(count, each), Math.multiplyExact(hidden, each));
  }

  /** Where the elements begin that the copy shows. */
  long start() {
    return first + skip;
  }

  /** How many elements the copy shows. */
  long length() {
    return count - skip;
  }

  /** Behind the last. */
  long end() {
    return first + count;
  }
}
