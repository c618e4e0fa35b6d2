// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.convert;

import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.MalformedException;
import org.arbalest.device.internal.schema.ViewStruct;

/**
 * The bytes of text or binary values, in either layout. {@link #size} checks the offsets or the view; the other methods
 * rely on that check.
 */
final class TextSource {
  final ConversionPlan plan;
  final Layout layout;
  final long struct;
  final boolean isView;

  /** The visible elements. */
  final Rows rows;

  /** The address of the offsets, or of the views. */
  final long positions;

  /** The address of the data, for a layout with offsets. */
  final long data;

  /** The number of data buffers, for views. */
  final long variadic;

  private final boolean isLarge;

  /** The limit of the offsets. {@link #open} sets it and the mask. */
  private long limit;

  private Mask mask = Mask.ALL;

  TextSource(ConversionPlan plan, Layout layout, long struct, Rows rows) {
    this.plan = plan;
    this.layout = layout;
    this.struct = struct;
    this.isView = layout.shape == Layout.Shape.VIEW;
    this.rows = rows;
    this.positions = RawArrowArray.buffer(struct, 1);
    this.data = isView ? 0 : RawArrowArray.buffer(struct, 2);
    this.variadic = isView ? ViewStruct.variadic(struct) : 0;
    this.isLarge = layout.bits == Long.SIZE;
  }

  /** Must be called before any element is read. The selection has elements. */
  void open() {
    plan.look();
    mask = rows.mask(plan, ConversionPlan.bitmap(layout, struct));
    if (isView || RawArrowArray.length(struct) == 0) return;
    long known = data == 0 ? 0 : plan.owner.dataSize(struct);
    long end = offset(RawArrowArray.offset(struct) + RawArrowArray.length(struct));
    limit = Math.max(0, Math.min(known, end)); // a wrong last offset may be negative
  }

  /** Returns whether a row is null or hidden. */
  boolean isNull(long row) {
    return mask.isNull(row);
  }

  /** Returns whether a row may be null or hidden. */
  boolean mayHaveNulls() {
    return mask.bitmap() != 0 || mask.runs() != null;
  }

  /** Returns the largest size of the data in bytes, for a layout with offsets. */
  long limit() {
    return limit;
  }

  /** Returns the address of a view. */
  long view(long at) {
    return positions + ViewStruct.SIZE * at;
  }

  long offset(long at) {
    return isLarge ? NativeHeap.getLong(positions + 8 * at) : NativeHeap.getInt(positions + 4 * at);
  }

  /** Returns the size in bytes of an element, which is not null; {@code row} is for the error. */
  long size(long row, long at) {
    if (isView) return viewSize(row, at);
    long begin = offset(at);
    long end = offset(at + 1);
    // the offset of an empty value is not limited
    if (begin < 0 || end < begin || (end > limit && end != begin)) throw wrong(row, at, begin, end);
    return end - begin;
  }

  /**
   * Writes the new offsets of a list of rows, from 0 on, and returns their size in bytes, for a layout with offsets.
   * Returns −1 if an offset may be invalid, so that the caller must check each row.
   *
   * @param areLong whether a new offset is a long, and not an int
   */
  long writeOffsets(long to, boolean areLong) {
    long list = rows.list();
    boolean areInts = rows.areInts;
    long first = positions + layout.width() * rows.start;
    long bitmap = mask.bitmap();
    long sum = 0;
    long wrong = 0;
    Rows.putPosition(to, !areLong, 0, 0);
    for (long k = 0; k < rows.count; k++) {
      if (bitmap != 0 && mask.isNull(k)) {
        Rows.putPosition(to, !areLong, k + 1, sum);
        continue;
      }
      long at = Rows.position(list, areInts, k);
      long begin = isLarge ? NativeHeap.getLong(first + 8 * at) : NativeHeap.getInt(first + 4 * at);
      long end = isLarge ? NativeHeap.getLong(first + 8 * at + 8) : NativeHeap.getInt(first + 4 * at + 4);
      sum += end - begin;
      wrong |= begin | end | (end - begin) | (limit - end) | sum; // negative if any of these is
      Rows.putPosition(to, !areLong, k + 1, sum);
    }
    return wrong < 0 ? -1 : sum;
  }

  private MalformedException wrong(long row, long at, long begin, long end) {
    String what = "row " + row + ": offsets[" + (at + 1) + "] = " + end;
    if (begin < 0 || end < begin)
      return new MalformedException(what + " is before offsets[" + at + "] = " + begin + ", or one is negative");
    return new MalformedException(what + " is beyond the " + limit + " bytes of data");
  }

  private long viewSize(long row, long at) {
    long view = view(at);
    int size = ViewStruct.size(view);
    if (size < 0) throw new MalformedException("row " + row + ": views[" + at + "] has " + size + " bytes");
    if (size <= ViewStruct.INLINE) return size;
    String fault = ViewStruct.fault(at, size, ViewStruct.buffer(view), ViewStruct.offset(view), variadic,
        ViewStruct.sizes(struct));
    if (fault != null) throw new MalformedException("row " + row + ": " + fault);
    return size;
  }

  /** Returns the size in bytes of an element that {@link #size} has checked. */
  long checkedSize(long at) {
    return isView ? ViewStruct.size(view(at)) : offset(at + 1) - offset(at);
  }

  /** Returns the address of an element that {@link #size} has checked. */
  long address(long at, long size) {
    if (!isView) return data + offset(at);
    long view = view(at);
    if (size <= ViewStruct.INLINE) return ViewStruct.value(view);
    return RawArrowArray.buffer(struct, 2L + ViewStruct.buffer(view)) + ViewStruct.offset(view);
  }
}
