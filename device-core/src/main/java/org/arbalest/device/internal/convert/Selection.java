// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.convert;

import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.memory.Bitmaps;
import org.arbalest.device.internal.memory.NativeHeap;
import org.jspecify.annotations.Nullable;

/**
 * Which elements of a struct become the elements of the result, in order: those from one on, or a list of any, each
 * once or for a run of elements. Positions count from the start of the struct's buffers; −1 is an element that is null,
 * though nothing of the struct's is.
 */
final class Selection {
  final long count;

  /** The first of those that follow each other; of a list, what is to be added to each position. */
  final long start;

  /** The positions, as a long each; 0 if they follow each other. */
  private final long list;

  /**
   * The runs that the list has the positions of; null if it has one for each element. In a run all elements are alike,
   * also in whether they are hidden.
   */
  private final @Nullable Spans spans;

  /** Whether some are −1. */
  final boolean hasNone;

  /** Whether nulls may be here that the struct's own field does not speak of: those of a dictionary. */
  final boolean isDecoded;

  private final @Nullable Above above;

  /** Whether what is above makes an element null, and does not only hide it. */
  final boolean takesNulls;

  private Selection(long start, long count, long list, @Nullable Spans spans, boolean hasNone, boolean isDecoded,
      @Nullable Above above) {
    this(start, count, list, spans, hasNone, isDecoded, above, false);
  }

  private Selection(
      long start, long count, long list, @Nullable Spans spans, boolean hasNone, boolean isDecoded,
      @Nullable Above above, boolean takesNulls) {
    this.start = start;
    this.count = count;
    this.list = list;
    this.spans = spans;
    this.hasNone = hasNone;
    this.isDecoded = isDecoded;
    this.above = above;
    this.takesNulls = takesNulls;
  }

  /** Elements that follow each other. */
  static Selection range(long start, long count) {
    return new Selection(start, count, 0, null, false, false, null);
  }

  /** All elements of a struct. */
  static Selection all(long struct) {
    return range(RawArrowArray.offset(struct), RawArrowArray.length(struct));
  }

  /** Elements anywhere; the list stays the caller's. */
  static Selection list(long list, long count, long shift) {
    return new Selection(shift, count, list, null, false, false, null);
  }

  /** The same with some that are nowhere, −1, and maybe hidden. */
  static Selection withNone(long list, long count, boolean isHidden) {
    Selection visible = new Selection(0, count, list, null, true, true, null);
    return isHidden ? new Selection(0, count, list, null, true, true, new Above(visible, 0, 0, 0, 1)) : visible;
  }

  /**
   * Elements anywhere that stand for the elements of another selection, by a dictionary or by runs: a position for each
   * of its {@link #entries}.
   */
  static Selection decoded(long list, Selection of, boolean hasNone) {
    return new Selection(0, of.count, list, of.spans, hasNone, true, of.above);
  }

  /** The same with a position for each run of elements that follow each other, none of which is hidden. */
  static Selection decoded(long list, Selection of, Spans spans) {
    return new Selection(0, of.count, list, spans, false, true, of.above);
  }

  /** The elements of a child that is positioned by its parent: as many for each of these. */
  Selection child(ConversionPlan plan, long child, long each, Above parent) {
    long offset = RawArrowArray.offset(child);
    if (each == 0) return new Selection(offset, 0, 0, null, false, false, parent);
    if (list != 0) ConversionPlan.requireRoom(count, each);
    long length = Math.multiplyExact(count, each);
    if (list == 0) return new Selection(offset + start * each, length, 0, null, false, false, parent);
    if (each == 1) return new Selection(offset + start, length, list, spans, hasNone, isDecoded, parent);
    long positions = plan.list(length);
    for (long k = 0; k < count; k++) {
      long at = at(k);
      for (long j = 0; j < each; j++)
        NativeHeap.putLong(positions + Long.BYTES * (k * each + j), at < 0 ? -1 : at * each + j);
    }
    return new Selection(offset, length, positions, null, hasNone, isDecoded, parent);
  }

  /** The same elements of a child, null where their parent is. */
  Selection takingNulls() {
    return new Selection(start, count, list, spans, hasNone, isDecoded, above, true);
  }

  boolean isRange() {
    return list == 0;
  }

  /** Whether these are all elements of a struct that leaves none out at its beginning. */
  boolean isWhole(long struct) {
    return list == 0 && start == 0 && count == RawArrowArray.length(struct);
  }

  /** Where an element is; −1 for one that is nowhere. */
  long at(long element) {
    if (list == 0) return start + element;
    long at = NativeHeap.getLong(list + Long.BYTES * (spans == null ? element : spans.of(element)));
    return at < 0 ? -1 : at + start;
  }

  /** The element behind those that are known to be like one, for whoever does not have to look at each. */
  long next(long element) {
    return spans == null ? element + 1 : spans.endOf(element);
  }

  /** How many there are when one goes on by {@link #next}. */
  long entries() {
    return spans == null ? count : spans.count;
  }

  /** How many elements are null; the bitmap is 0 if none of the struct's are. */
  long nulls(long bitmap) {
    if (list == 0) return bitmap == 0 ? 0 : count - Bitmaps.countOnes(bitmap, start, count);
    long nulls = 0;
    for (long k = 0; k < count; k = next(k)) {
      if (isNull(bitmap, at(k))) nulls += next(k) - k;
    }
    return nulls;
  }

  /** The same without those that are nowhere. */
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

  /** The first element that is null, and that nothing above hides; −1 if there is none. */
  long exposedNull(long bitmap) {
    for (long k = 0; k < count; k = next(k)) {
      if (isNull(bitmap, at(k)) && (above == null || !above.hides(k))) return k;
    }
    return -1;
  }

  boolean mayBeHidden() {
    return above != null && above.mayHide();
  }

  /** The first element that nothing above hides; −1 if there is none. */
  long exposed() {
    for (long k = 0; k < count; k = next(k)) {
      if (above == null || !above.hides(k)) return k;
    }
    return -1;
  }

  /** Which elements have a value; for what is called once the buffers may be read. */
  Mask mask(ConversionPlan plan, long bitmap) {
    boolean isHidden = mayBeHidden();
    if (bitmap == 0 && !hasNone && !isHidden) return Mask.ALL;
    if (list == 0 && !isHidden) return new Mask(bitmap, start, null);
    if (spans != null) return new Mask(bitmap, 0, this);
    long mask = plan.temporary((count + 7) >>> 3);
    writeValidity(bitmap, mask);
    if (above != null && isHidden) above.hide(mask, count);
    return new Mask(mask, 0, null);
  }

  /** Whether an element is null or hidden. */
  boolean isAbsent(long bitmap, long element) {
    return isNull(bitmap, at(element)) || (above != null && above.hides(element));
  }

  /** Writes a validity bitmap. */
  void writeValidity(long bitmap, long to) {
    if (list == 0) {
      NativeHeap.fill(to, (count + 7) >>> 3, (byte) 0);
      if (bitmap == 0) Bitmaps.setAll(to, 0, count);
      if (bitmap != 0) Bitmaps.copy(bitmap, start, to, 0, count);
      return;
    }
    for (long k = 0; k < count;) {
      long end = Math.min(count, k + 8);
      int bits = 0;
      for (int bit = 1; k < end; k++, bit <<= 1) {
        if (!isNull(bitmap, at(k))) bits |= bit;
      }
      NativeHeap.putByte(to + ((k - 1) >>> 3), (byte) bits);
    }
  }

  /**
   * What hides elements of a child: that of which they are part is null there, or, a union, is another.
   *
   * @param types the address of the union's type ids, else 0
   * @param each how many elements of the child each of the parent's has
   */
  record Above(Selection rows, long bitmap, long types, int type, long each) {
    boolean mayHide() {
      return bitmap != 0 || types != 0 || rows.hasNone || (rows.above != null && rows.above.mayHide());
    }

    /** Clears the bits of elements that are hidden. */
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
