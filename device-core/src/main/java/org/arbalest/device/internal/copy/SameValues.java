// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.copy;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.array.Ownership;
import org.arbalest.device.internal.memory.Bitmaps;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.FieldImpl;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.ViewStruct;

/**
 * A comparison of two arrays byte by byte. Arrays that differ only in values below nulls, or only in their layout, may
 * count as different. Malformed arrays count as different too, because other checks report them.
 */
final class SameValues {
  private final Ownership ownerA;
  private final Ownership ownerB;

  SameValues(Ownership ownerA, Ownership ownerB) {
    this.ownerA = ownerA;
    this.ownerB = ownerB;
  }

  /** Compares {@code count} elements of two structs, which begin at positions in their buffers. */
  boolean test(Layout layout, long a, long startA, long b, long startB, long count) {
    if (count == 0 || (a == b && startA == startB)) return true;
    if (layout.shape.hasValidity && !sameNulls(a, startA, b, startB, count)) return false;
    return switch (layout.shape) {
      case NULL -> true;
      case FIXED -> bits(buffer(a, 1), startA, buffer(b, 1), startB, count, layout.bits)
          && (layout.dictionary == null || dictionaries(layout, a, b));
      case VARIABLE, LIST -> offsets(layout, a, startA, b, startB, count);
      case VIEW -> bits(buffer(a, 1), startA, buffer(b, 1), startB, count, 128) && sameData(a, b);
      case LIST_VIEW ->
          bits(buffer(a, 1), startA, buffer(b, 1), startB, count, layout.bits)
              && bits(buffer(a, 2), startA, buffer(b, 2), startB, count, layout.bits)
              && children(layout, a, b);
      case STRUCT, FIXED_LIST -> rows(layout, a, startA, b, startB, count);
      case SPARSE_UNION -> ids(layout, a, startA, b, startB, count) && rows(layout, a, startA, b, startB, count);
      case DENSE_UNION ->
          ids(layout, a, startA, b, startB, count)
              && bits(buffer(a, Positions.surplus(layout, a) + 1), startA, buffer(b, Positions.surplus(layout, b) + 1),
                  startB, count, 32)
              && children(layout, a, b);
      case RUN_END -> startA == startB && children(layout, a, b);
    };
  }

  private static long buffer(long struct, long index) {
    return RawArrowArray.buffer(struct, index);
  }

  private static boolean sameNulls(long a, long startA, long b, long startB, long count) {
    long validityA = RawArrowArray.nullCount(a) == 0 ? 0 : buffer(a, 0);
    long validityB = RawArrowArray.nullCount(b) == 0 ? 0 : buffer(b, 0);
    if (validityA == 0 && validityB == 0) return true;
    for (long k = 0; k < count; k++) {
      boolean validA = validityA == 0 || Bitmaps.get(validityA, startA + k);
      if (validA != (validityB == 0 || Bitmaps.get(validityB, startB + k))) return false;
    }
    return true;
  }

  private static boolean bits(long a, long startA, long b, long startB, long count, long bits) {
    if (bits != 1) return bytes(a + startA * (bits >>> 3), b + startB * (bits >>> 3), count * (bits >>> 3));
    for (long k = 0; k < count; k++) {
      if (Bitmaps.get(a, startA + k) != Bitmaps.get(b, startB + k)) return false;
    }
    return true;
  }

  private static boolean bytes(long a, long b, long count) {
    return a == b
        || MemorySegment.mismatch(NativeHeap.segment(a, count), 0, count, NativeHeap.segment(b, count), 0, count) < 0;
  }

  private static boolean ids(Layout layout, long a, long startA, long b, long startB, long count) {
    return bits(buffer(a, Positions.surplus(layout, a)), startA, buffer(b, Positions.surplus(layout, b)), startB, count,
        8);
  }

  private boolean offsets(Layout layout, long a, long startA, long b, long startB, long count) {
    long firstA = Positions.offset(layout, buffer(a, 1), startA);
    long firstB = Positions.offset(layout, buffer(b, 1), startB);
    long before = 0;
    for (long k = 1; k <= count; k++) {
      long offset = Positions.offset(layout, buffer(a, 1), startA + k) - firstA;
      if (offset < before || offset != Positions.offset(layout, buffer(b, 1), startB + k) - firstB) return false;
      before = offset;
    }
    if (before == 0) return true;
    if (firstA < 0 || firstB < 0) return false;
    if (layout.shape == Layout.Shape.VARIABLE) {
      if (before > ownerA.dataSize(a) - firstA || before > ownerB.dataSize(b) - firstB || buffer(a, 2) == 0
          || buffer(b, 2) == 0)
        return false;
      return bytes(buffer(a, 2) + firstA, buffer(b, 2) + firstB, before);
    }
    long itemsA = RawArrowArray.child(a, 0);
    long itemsB = RawArrowArray.child(b, 0);
    if (before > RawArrowArray.length(itemsA) - firstA || before > RawArrowArray.length(itemsB) - firstB) return false;
    return test(
        layout.children[0].layout, itemsA, RawArrowArray.offset(itemsA) + firstA, itemsB,
        RawArrowArray.offset(itemsB) + firstB, before);
  }

  private static boolean sameData(long a, long b) {
    long variadic = ViewStruct.variadic(a);
    if (variadic != ViewStruct.variadic(b)) return false;
    for (long i = 0; i < variadic; i++) {
      long size = ViewStruct.dataSize(a, i);
      if (size != ViewStruct.dataSize(b, i)) return false;
      if (size > 0 && !bytes(buffer(a, 2 + i), buffer(b, 2 + i), size)) return false;
    }
    return true;
  }

  private boolean rows(Layout layout, long a, long startA, long b, long startB, long count) {
    for (int i = 0; i < layout.children.length; i++) {
      long childA = RawArrowArray.child(a, i);
      long childB = RawArrowArray.child(b, i);
      long length = Positions.childLength(layout, childA, count);
      Layout child = layout.children[i].layout;
      if (!test(child, childA, Positions.childStart(layout, childA, startA), childB,
          Positions.childStart(layout, childB, startB), length))
        return false;
    }
    return true;
  }

  private boolean children(Layout layout, long a, long b) {
    for (int i = 0; i < layout.children.length; i++) {
      FieldImpl field = layout.children[i];
      if (!whole(field.layout, RawArrowArray.child(a, i), RawArrowArray.child(b, i))) return false;
    }
    return true;
  }

  /** Compares all dictionaries of two structs, also those of their children. */
  boolean testDictionaries(Layout layout, long a, long b) {
    if (!dictionaries(layout, a, b)) return false;
    for (int i = 0; i < layout.children.length; i++) {
      if (!testDictionaries(layout.children[i].layout, RawArrowArray.child(a, i), RawArrowArray.child(b, i)))
        return false;
    }
    return true;
  }

  private boolean dictionaries(Layout layout, long a, long b) {
    FieldImpl values = layout.dictionary;
    return values == null || whole(values.layout, RawArrowArray.dictionary(a), RawArrowArray.dictionary(b));
  }

  private boolean whole(Layout layout, long a, long b) {
    long length = RawArrowArray.length(a);
    return length == RawArrowArray.length(b)
        && test(layout, a, RawArrowArray.offset(a), b, RawArrowArray.offset(b), length);
  }
}
