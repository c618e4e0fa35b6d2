// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.convert;

import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.memory.Bitmaps;
import org.arbalest.device.internal.memory.NativeHeap;
import org.jspecify.annotations.Nullable;

/**
 * The elements of a struct that become the elements of the result, in order: a range, or a list of positions, one for
 * each element or for each run of elements.
 *
 * <p>Positions count from the start of the struct's buffers. −1 is a null element that has no source in the struct.
 */
final class Rows {
  final long count;

  /** The first element of a range; for a list, the number to add to each position. */
  final long start;

  /** The address of the positions; 0 for a range, and for {@link #marked} rows before it is used. */
  private long list;

  /** Whether a position of the list is an int, and not a long. */
  final boolean areInts;

  /** The bitmap of the elements that are not null, which is written when it is first used, and its source. */
  private long validity;

  private long validitySource;

  /** The rows of a filter, which need no list for some copies; null for a range and other lists. */
  private final @Nullable Marked marked;

  /**
   * The runs, if the list has a position for each run; null if it has one for each element. All elements of a run are
   * identical, and either all or none of them are hidden.
   */
  private final @Nullable Spans spans;

  /** Whether some positions are −1. */
  final boolean hasNone;

  /** Whether elements may be null although the struct's field is not nullable: those that come from a dictionary. */
  final boolean isDecoded;

  private final @Nullable Above above;

  /** Whether a null parent makes an element null, and does not only hide it. */
  final boolean takesNulls;

  private Rows(long start, long count, long list, @Nullable Spans spans, boolean hasNone, boolean isDecoded,
      @Nullable Above above) {
    this(start, count, list, false, null, spans, hasNone, isDecoded, above, false);
  }

  private Rows(
      long start, long count, long list, boolean areInts, @Nullable Marked marked, @Nullable Spans spans,
      boolean hasNone, boolean isDecoded, @Nullable Above above, boolean takesNulls) {
    this.start = start;
    this.count = count;
    this.list = list;
    this.areInts = areInts;
    this.marked = marked;
    this.spans = spans;
    this.hasNone = hasNone;
    this.isDecoded = isDecoded;
    this.above = above;
    this.takesNulls = takesNulls;
  }

  /** Selects a range of elements. */
  static Rows range(long start, long count) {
    return new Rows(start, count, 0, null, false, false, null);
  }

  /** Selects all elements of a struct. */
  static Rows all(long struct) {
    return range(RawArrowArray.offset(struct), RawArrowArray.length(struct));
  }

  /** Selects the rows of a filter; {@code shift} is the position of row 0. */
  static Rows marked(Marked marked, long shift) {
    return new Rows(shift, marked.rows.count, 0, marked.areInts, marked, null, false, false, null, false);
  }

  /**
   * Selects the rows at some indices; {@code shift} is the position of row 0. The list belongs to the caller.
   *
   * @param areInts whether an index is an int, and not a long
   * @param hasNone whether some indices are −1, for a row without a source
   */
  static Rows taken(long list, boolean areInts, long count, long shift, boolean hasNone) {
    return new Rows(shift, count, list, areInts, null, null, hasNone, false, null, false);
  }

  /** Selects elements at any positions. The list belongs to the caller. */
  static Rows list(long list, long count, long shift) {
    return new Rows(shift, count, list, null, false, false, null);
  }

  /**
   * Selects elements at any positions; −1 is an element without a source.
   *
   * @param isHidden whether an ancestor hides all of these
   * @param isDecoded whether elements come from a dictionary
   */
  static Rows withNone(long list, long count, boolean isHidden, boolean isDecoded) {
    Rows visible = new Rows(0, count, list, null, true, isDecoded, null);
    return isHidden ? new Rows(0, count, list, null, true, isDecoded, new Above(visible, 0, 0, 0, 1)) : visible;
  }

  /**
   * Selects the values of another selection's elements, from a dictionary or from runs. The list has a position for
   * each of its {@link #entries}.
   */
  static Rows decoded(long list, Rows of, boolean hasNone) {
    return new Rows(0, of.count, list, of.spans, hasNone, true, of.above);
  }

  /**
   * Selects the values of a range of elements from runs, none of which is hidden. The list has a position for each run.
   */
  static Rows decoded(long list, Rows of, Spans spans) {
    return new Rows(0, of.count, list, spans, false, true, of.above);
  }

  /** Selects the elements of a child that its parent positions, {@code each} for every element of this selection. */
  Rows child(ConversionPlan plan, long child, long each, Above parent) {
    long offset = RawArrowArray.offset(child);
    if (each == 0) return new Rows(offset, 0, 0, null, false, false, parent);
    if (!isRange()) ConversionPlan.requireRoom(count, each);
    long length = Math.multiplyExact(count, each);
    if (isRange()) return new Rows(offset + start * each, length, 0, null, false, false, parent);
    if (each == 1)
      return new Rows(offset + start, length, list, areInts, marked, spans, hasNone, isDecoded, parent, false);
    long positions = plan.list(length);
    for (long k = 0; k < count; k++) {
      long at = at(k);
      for (long j = 0; j < each; j++)
        NativeHeap.putLong(positions + Long.BYTES * (k * each + j), at < 0 ? -1 : at * each + j);
    }
    return new Rows(offset, length, positions, null, hasNone, isDecoded, parent);
  }

  /** Returns the same elements of a child, where a null parent makes an element null. */
  Rows takingNulls() {
    return new Rows(start, count, list, areInts, marked, spans, hasNone, isDecoded, above, true);
  }

  /** Returns a range with more elements in front. */
  Rows from(long first) {
    return new Rows(first, count + start - first, 0, null, false, isDecoded, above);
  }

  boolean isRange() {
    return list == 0 && marked == null;
  }

  /** Returns whether each element has its own position in a list. */
  boolean isList() {
    return !isRange() && spans == null;
  }

  /** Returns whether each element has its own position in a list, and a source. */
  boolean isPlainList() {
    return isList() && !hasNone;
  }

  /** Returns the address of the positions, to which {@link #start} must be added; for elements that are no range. */
  long list() {
    if (list == 0 && marked != null) list = marked.list();
    return list;
  }

  /** Returns the position at an index of a list. */
  static long position(long list, boolean areInts, long k) {
    return areInts ? NativeHeap.getInt(list + Integer.BYTES * k) : NativeHeap.getLong(list + Long.BYTES * k);
  }

  /** Writes the position at an index of a list. */
  static void putPosition(long list, boolean areInts, long k, long position) {
    if (areInts) {
      NativeHeap.putInt(list + Integer.BYTES * k, (int) position);
    } else {
      NativeHeap.putLong(list + Long.BYTES * k, position);
    }
  }

  /** Returns the rows of a filter, or null if these are none. */
  @Nullable
  Marked marked() {
    return marked;
  }

  /** Returns whether these are all elements of a struct whose offset is 0. */
  boolean isWhole(long struct) {
    return isRange() && start == 0 && count == RawArrowArray.length(struct);
  }

  /** Returns the position of an element, or −1 for an element without a source. */
  long at(long element) {
    if (isRange()) return start + element;
    long at = position(list(), areInts, spans == null ? element : spans.of(element));
    return at < 0 ? -1 : at + start;
  }

  /**
   * Returns the element after those that are known to be identical to this one. A caller that visits each distinct
   * element once uses it.
   */
  long next(long element) {
    return spans == null ? element + 1 : spans.endOf(element);
  }

  /** Returns the number of steps of a loop with {@link #next}. */
  long entries() {
    return spans == null ? count : spans.count;
  }

  /** Returns the number of null elements; the bitmap is 0 if the struct has no nulls. */
  long nulls(ConversionPlan plan, long bitmap) {
    if (bitmap == 0 && !hasNone) return 0;
    if (isRange()) return count - Bitmaps.countOnes(bitmap, start, count);
    if (isList()) return count - Bitmaps.countOnes(validity(plan, bitmap), 0, count);
    long nulls = 0;
    for (long k = 0; k < count; k = next(k)) {
      if (isNull(bitmap, at(k))) nulls += next(k) - k;
    }
    return nulls;
  }

  /** Returns the number of null elements that have a source. */
  long ownNulls(long bitmap) {
    if (bitmap == 0) return 0;
    long nulls = 0;
    for (long k = 0; k < count; k = next(k)) {
      long at = at(k);
      if (at >= 0 && isNull(bitmap, at)) nulls += next(k) - k;
    }
    return nulls;
  }

  static boolean isNull(long bitmap, long at) {
    return at < 0 || (bitmap != 0 && !Bitmaps.get(bitmap, at));
  }

  /** Returns the first element that is null and that no ancestor hides, or −1. */
  long exposedNull(long bitmap) {
    for (long k = 0; k < count; k = next(k)) {
      if (isNull(bitmap, at(k)) && (above == null || !above.hides(k))) return k;
    }
    return -1;
  }

  boolean mayBeHidden() {
    return above != null && above.mayHide();
  }

  /** Returns the first element that no ancestor hides, or −1. */
  long exposed() {
    for (long k = 0; k < count; k = next(k)) {
      if (above == null || !above.hides(k)) return k;
    }
    return -1;
  }

  /** Returns the elements that have values. The caller has checked that the buffers are readable. */
  Mask mask(ConversionPlan plan, long bitmap) {
    boolean isHidden = mayBeHidden();
    if (bitmap == 0 && !hasNone && !isHidden) return Mask.ALL;
    if (isRange() && !isHidden) return new Mask(bitmap, start, null);
    if (spans != null) return new Mask(bitmap, 0, this);
    if (above == null || !isHidden) return new Mask(validity(plan, bitmap), 0, null);
    long mask = plan.temporary((count + 7) >>> 3);
    writeValidity(bitmap, mask);
    above.hide(mask, count);
    return new Mask(mask, 0, null);
  }

  /** Returns the address of the bitmap of the elements in a list that are not null. */
  private long validity(ConversionPlan plan, long bitmap) {
    if (validity == 0 || validitySource != bitmap) {
      long made = plan.temporary((count + 7) >>> 3);
      writeValidity(bitmap, made);
      validity = made;
      validitySource = bitmap;
    }
    return validity;
  }

  /** Returns whether an element is null or hidden. */
  boolean isAbsent(long bitmap, long element) {
    return isNull(bitmap, at(element)) || (above != null && above.hides(element));
  }

  /** Writes a validity bitmap. */
  void writeValidity(long bitmap, long to) {
    if (isRange() || (bitmap == 0 && !hasNone)) {
      NativeHeap.fill(to, (count + 7) >>> 3, (byte) 0);
      if (bitmap == 0) Bitmaps.setAll(to, 0, count);
      if (bitmap != 0) Bitmaps.copy(bitmap, start, to, 0, count);
      return;
    }
    if (validity != 0 && validitySource == bitmap) {
      NativeHeap.copy(validity, to, (count + 7) >>> 3);
    } else if (marked != null) {
      marked.copyBits(bitmap, start, to);
    } else {
      writeValidity(bitmap, to, spans == null ? writeWords(bitmap, to) : 0);
    }
  }

  /** Writes the validity bits of a list, 64 elements at a time; returns the number of elements. */
  private long writeWords(long bitmap, long to) {
    long whole = count & -Long.SIZE;
    for (long k = 0; k < whole; k += Long.SIZE) {
      long bits = 0;
      for (int i = 0; i < Long.SIZE; i++) {
        long at = position(list, areInts, k + i);
        long bit = at < 0 ? 0 : bitmap == 0 ? 1 : Bitmaps.bit(bitmap, at + start);
        bits |= bit << i; // without a branch, which would be mispredicted
      }
      NativeHeap.putLong(to + (k >>> 3), bits);
    }
    return whole;
  }

  private void writeValidity(long bitmap, long to, long first) {
    for (long k = first; k < count;) {
      long end = Math.min(count, k + 8);
      int bits = 0;
      for (int bit = 1; k < end; k++, bit <<= 1) {
        if (!isNull(bitmap, at(k))) bits |= bit;
      }
      NativeHeap.putByte(to + ((k - 1) >>> 3), (byte) bits);
    }
  }

  /** Writes a validity bitmap in which elements without a source are not null. */
  void writeOwnValidity(long bitmap, long to) {
    NativeHeap.fill(to, (count + 7) >>> 3, (byte) 0);
    for (long k = 0; k < count; k++) {
      long at = at(k);
      if (at < 0 || !isNull(bitmap, at)) Bitmaps.set(to, k);
    }
  }

  /**
   * The parent, which hides elements of a child: the parent is null there or, in a union, uses another child.
   *
   * @param types the address of the union's type ids, or 0
   * @param each the number of the child's elements for each element of the parent
   */
  record Above(Rows rows, long bitmap, long types, int type, long each) {
    boolean mayHide() {
      return bitmap != 0 || types != 0 || rows.hasNone || (rows.above != null && rows.above.mayHide());
    }

    /** Clears the bits of hidden elements. */
    void hide(long mask, long count) {
      for (long k = 0; k < count; k++) {
        long at = mask + (k >>> 3);
        if (hides(k)) NativeHeap.putByte(at, (byte) (NativeHeap.getByte(at) & ~(1 << (k & 7))));
      }
    }

    boolean hides(long element) {
      long row = element / each;
      long at = rows.at(row);
      if (isNull(bitmap, at) || (types != 0 && NativeHeap.getByte(types + at) != type)) return true;
      return rows.above != null && rows.above.hides(row);
    }
  }
}
