// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.copy;

import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.array.RecordedArrays;
import org.arbalest.device.internal.schema.Layout;

/**
 * Memory that is kept, but not used: rows, text and values that no element refers to. If it is most of the memory, what
 * is used is copied.
 */
final class SpareMemory {
  /** The bytes up to which memory is kept in any case. */
  private static final long LITTLE = 1024;

  /** The part of the memory that must be used. */
  private static final long PART = 4;

  private SpareMemory() {}

  /** Returns whether most of the memory is spare. Both numbers are of the same unit. */
  static boolean isMost(long used, long kept) {
    return kept / PART > used;
  }

  /** Returns whether most of the memory is spare, and it is enough for a copy to be worthwhile. */
  static boolean isMostBytes(long used, long kept) {
    return kept > LITTLE && isMost(used, kept);
  }

  /**
   * Returns the bytes that some elements of a struct have at least. They are without what only the content of buffers
   * defines: the data of views, the elements of list-views, and dictionaries.
   *
   * @param readsOffsets whether the first and the last offset of text and lists may be read
   */
  static long leastBytes(Layout layout, long struct, long start, long count, boolean readsOffsets) {
    if (count == 0) return 0;
    long bytes = 0;
    for (int i = 0; i < layout.shape.buffers; i++) {
      boolean isThere = i > 0 || !layout.shape.hasValidity || RawArrowArray.buffer(struct, 0) != 0;
      if (isThere) bytes = RecordedArrays.sum(bytes, layout.bufferBytes(i, count));
    }
    if (layout.shape.positionsChildren()) {
      for (int i = 0; i < layout.children.length; i++) {
        long child = RawArrowArray.child(struct, i);
        bytes = RecordedArrays.sum(bytes, leastBytes(layout.children[i].layout, child,
            Positions.childStart(layout, child, start), Positions.childLength(layout, child, count), readsOffsets));
      }
      return bytes;
    }
    boolean isList = layout.shape == Layout.Shape.LIST;
    if (!readsOffsets || (!isList && layout.shape != Layout.Shape.VARIABLE)) return bytes;
    long first = Positions.offset(layout, RawArrowArray.buffer(struct, 1), start);
    long size = Positions.offset(layout, RawArrowArray.buffer(struct, 1), start + count) - first;
    if (first < 0 || size < 0) return bytes; // the copy reports malformed offsets
    if (!isList) return RecordedArrays.sum(bytes, size);
    long items = RawArrowArray.child(struct, 0);
    if (first > RawArrowArray.length(items) - size) return bytes;
    return RecordedArrays.sum(bytes,
        leastBytes(layout.children[0].layout, items, RawArrowArray.offset(items) + first, size, true));
  }
}
