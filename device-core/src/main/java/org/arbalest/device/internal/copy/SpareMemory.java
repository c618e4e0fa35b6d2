// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.copy;

import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.array.RecordedArrays;
import org.arbalest.device.internal.memory.Bitmaps;
import org.arbalest.device.internal.memory.Integers;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.ViewStruct;

/**
 * Memory that is kept, but not used: rows, text and values that no element refers to. If it is most of the memory, the
 * rest is copied.
 */
final class SpareMemory {
  /** The bytes up to which memory is kept in any case. */
  private static final long LITTLE = 1024;

  /** The part of the memory that must be used. */
  private static final long PART = 4;

  /** The number of elements after which their bytes are computed for the first time. */
  private static final long FIRST_LOOK = 64;

  private SpareMemory() {}

  /** Returns whether most of the memory is spare. Both numbers are of the same unit. */
  static boolean isMost(long used, long kept) {
    return kept / PART > used;
  }

  /** Returns whether most of the memory is spare, and it is enough for a copy to be worthwhile. */
  static boolean isMostBytes(long used, long kept) {
    return kept > LITTLE && isMost(used, kept);
  }

  /** Returns the bytes from which on most of the memory is spare: {@link #isMostBytes} is true for these. */
  static long spareFrom(long used) {
    return used > Long.MAX_VALUE / PART - 1 ? Long.MAX_VALUE : Math.max(LITTLE + 1, PART * (used + 1));
  }

  /** Returns the bytes from which on most of the memory is used: {@link #isMostBytes} is false for these. */
  static long usedFrom(long kept) {
    return kept > LITTLE ? kept / PART : 0;
  }

  /**
   * Returns the bytes that some elements of a struct need at least. Elements that overlap may count twice.
   *
   * @param readsContent whether the CPU may read offsets, sizes, views and type ids. Otherwise the result is without
   *     the data and the elements to which these lead
   * @param enough the number of bytes from which on the caller needs no greater result; this method then ends early
   */
  static long leastBytes(Layout layout, long struct, long start, long count, boolean readsContent, long enough) {
    if (count == 0) return 0;
    long bytes = 0;
    for (int i = 0; i < layout.shape.buffers; i++) {
      boolean isThere = i > 0 || !layout.shape.hasValidity || RawArrowArray.buffer(struct, 0) != 0;
      if (isThere) bytes = RecordedArrays.sum(bytes, layout.bufferBytes(i, count));
    }
    if (layout.shape.positionsChildren()) {
      for (int i = 0; i < layout.children.length && bytes < enough; i++) {
        long child = RawArrowArray.child(struct, i);
        bytes = RecordedArrays.sum(bytes,
            leastBytes(layout.children[i].layout, child, Positions.childStart(layout, child, start),
                Positions.childLength(layout, child, count), readsContent, enough - bytes));
      }
      return bytes;
    }
    if (bytes >= enough) return bytes;
    long more = enough - bytes;
    return RecordedArrays.sum(bytes, switch (layout.shape) {
      case FIXED -> layout.dictionary == null ? 0
          : some(layout.dictionary.layout, RawArrowArray.dictionary(struct),
              isMost(count, RawArrowArray.length(RawArrowArray.dictionary(struct))) ? 0 : Long.MAX_VALUE, readsContent,
              more);
      case RUN_END -> start > 0 || count < RawArrowArray.length(struct) ? 0
          : RecordedArrays.sum(child(layout, struct, 0, Long.MAX_VALUE, readsContent, more),
              child(layout, struct, 1, Long.MAX_VALUE, readsContent, more));
      case VARIABLE, LIST -> readsContent ? range(layout, struct, start, count, more) : 0;
      case VIEW -> readsContent ? data(struct, start, count, more) : 0;
      case LIST_VIEW -> readsContent ? listViews(layout, struct, start, count, more) : 0;
      case DENSE_UNION -> readsContent ? union(layout, struct, start, count, more) : 0;
      default -> 0;
    });
  }

  /**
   * Returns the bytes that all values of a struct's dictionaries need at least. See {@link #leastBytes}.
   *
   * @param other a struct of the same layout: dictionaries in the same memory as its own do not count; or 0
   */
  static long dictionaryBytes(Layout layout, long struct, long other, boolean readsContent, long enough) {
    long bytes = 0;
    if (layout.dictionary != null) {
      long values = RawArrowArray.dictionary(struct);
      Layout below = layout.dictionary.layout;
      if (other == 0 || !isSameMemory(below, values, RawArrowArray.dictionary(other)))
        bytes = some(below, values, Long.MAX_VALUE, readsContent, enough);
    }
    for (int i = 0; i < layout.children.length && bytes < enough; i++) {
      long more = dictionaryBytes(layout.children[i].layout, RawArrowArray.child(struct, i),
          other == 0 ? 0 : RawArrowArray.child(other, i), readsContent, enough - bytes);
      bytes = RecordedArrays.sum(bytes, more);
    }
    return bytes;
  }

  private static boolean isSameMemory(Layout layout, long a, long b) {
    for (int i = layout.shape.hasValidity ? 1 : 0; i < layout.shape.buffers; i++) {
      if (RawArrowArray.buffer(a, i) != RawArrowArray.buffer(b, i)) return false;
    }
    for (int i = 0; i < layout.children.length; i++) {
      if (!isSameMemory(layout.children[i].layout, RawArrowArray.child(a, i), RawArrowArray.child(b, i))) return false;
    }
    return true;
  }

  /** Returns the bytes of at least a number of elements: of all, or without the content that is not known. */
  private static long some(Layout layout, long struct, long count, boolean readsContent, long enough) {
    long all = RawArrowArray.length(struct);
    return leastBytes(layout, struct, RawArrowArray.offset(struct), Math.min(count, all), readsContent && count >= all,
        enough);
  }

  private static long child(Layout layout, long struct, int index, long count, boolean readsContent, long enough) {
    return some(layout.children[index].layout, RawArrowArray.child(struct, index), count, readsContent, enough);
  }

  /** Returns the bytes of a text or of the elements of lists. Malformed offsets count as nothing. */
  private static long range(Layout layout, long struct, long start, long count, long enough) {
    long first = Positions.offset(layout, RawArrowArray.buffer(struct, 1), start);
    long size = Positions.offset(layout, RawArrowArray.buffer(struct, 1), start + count) - first;
    if (first < 0 || size < 0) return 0;
    if (layout.shape == Layout.Shape.VARIABLE) return size;
    long items = RawArrowArray.child(struct, 0);
    if (first > RawArrowArray.length(items) - size) return 0;
    return leastBytes(layout.children[0].layout, items, RawArrowArray.offset(items) + first, size, true, enough);
  }

  /** Returns the bytes of the data of views. */
  private static long data(long struct, long start, long count, long enough) {
    long most = 0;
    for (long i = 0; i < ViewStruct.variadic(struct); i++)
      most = RecordedArrays.sum(most, ViewStruct.dataSize(struct, i));
    long bytes = 0;
    long validity = validity(struct);
    for (long at = start; at < start + count && bytes < Math.min(most, enough); at++) {
      if (validity != 0 && !Bitmaps.get(validity, at)) continue;
      int size = ViewStruct.size(RawArrowArray.buffer(struct, 1) + ViewStruct.SIZE * at);
      if (size > ViewStruct.INLINE) bytes += size;
    }
    return Math.min(bytes, most);
  }

  /** Returns the bytes of the elements of list-views. */
  private static long listViews(Layout layout, long struct, long start, long count, long enough) {
    long sum = 0;
    long next = FIRST_LOOK;
    long validity = validity(struct);
    long sizes = RawArrowArray.buffer(struct, 2);
    for (long at = start; at < start + count; at++) {
      if (validity != 0 && !Bitmaps.get(validity, at)) continue;
      sum = RecordedArrays.sum(sum, Integers.get(sizes, layout.bits, at));
      if (sum < next) continue;
      if (child(layout, struct, 0, sum, false, enough) >= enough) break;
      next = 2 * sum;
    }
    return child(layout, struct, 0, sum, true, enough);
  }

  /** Returns the bytes of the values of a dense union. */
  private static long union(Layout layout, long struct, long start, long count, long enough) {
    long ids = RawArrowArray.buffer(struct, Positions.surplus(layout, struct));
    long[] counts = new long[layout.children.length];
    long next = FIRST_LOOK;
    long bytes = 0;
    for (long k = 0; k < count && bytes < enough; k++) {
      int child = layout.childOf(NativeHeap.getByte(ids + start + k));
      if (child >= 0) counts[child]++;
      if (k + 1 < next && k + 1 < count) continue;
      next *= 2;
      bytes = 0;
      for (int i = 0; i < counts.length && bytes < enough; i++)
        bytes = RecordedArrays.sum(bytes, child(layout, struct, i, counts[i], true, enough - bytes));
    }
    return bytes;
  }

  private static long validity(long struct) {
    return RawArrowArray.nullCount(struct) == 0 ? 0 : RawArrowArray.buffer(struct, 0);
  }
}
