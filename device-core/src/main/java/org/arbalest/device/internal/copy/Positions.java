// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.copy;

import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.memory.Integers;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.MalformedException;

/** Where the elements of a struct lie, in its buffers and in its children, and whether offsets lead there. */
public final class Positions {
  private Positions() {}

  /** Behind the last element. */
  static long end(long source) {
    return RawArrowArray.offset(source) + RawArrowArray.length(source);
  }

  /** Where some elements of a child begin that belong to a parent's from {@code begin} on. */
  static long childStart(Layout layout, long child, long begin) {
    long offset = RawArrowArray.offset(child);
    return switch (layout.shape) {
      case STRUCT, SPARSE_UNION -> Math.addExact(offset, begin);
      case FIXED_LIST -> Math.addExact(offset, Math.multiplyExact(begin, layout.listSize));
      default -> offset;
    };
  }

  /** How many elements of a child belong to so many of its parent's; all of them, where a buffer says which. */
  static long childLength(Layout layout, long child, long count) {
    return switch (layout.shape) {
      case STRUCT, SPARSE_UNION -> count;
      case FIXED_LIST -> Math.multiplyExact(count, layout.listSize);
      default -> RawArrowArray.length(child);
    };
  }

  /** How many elements of a child belong to so many of its parent's first ones, which nobody sees. */
  static long hiddenBelow(Layout layout, long hidden) {
    return switch (layout.shape) {
      case STRUCT, SPARSE_UNION -> hidden;
      case FIXED_LIST -> Math.multiplyExact(hidden, layout.listSize);
      default -> 0;
    };
  }

  /** Older peers send a bitmap for types that have none (ARR-05). */
  public static long surplus(Layout layout, long source) {
    return layout.shape.hasValidity ? 0 : RawArrowArray.nBuffers(source) - layout.shape.buffers;
  }

  static long offset(Layout layout, long offsets, long index) {
    return Integers.get(offsets, layout.bits, index);
  }

  /** What two offsets say must lie within what there is, as far as that is known. */
  public static void checkExtent(long begin, long end, long first, long last, long known, String what) {
    if (first < 0 || last < first) {
      throw new MalformedException(
          "offsets[" + end + "] = " + last + " is before offsets[" + begin + "] = " + first + ", or one is negative");
    }
    if (last > known)
      throw new MalformedException("offsets[" + end + "] = " + last + " is beyond the " + known + " " + what);
  }

  public static MalformedException beyondLast(long at, long offset, long end, long most) {
    return new MalformedException(
        "offsets[" + at + "] = " + offset + " is beyond the last, offsets[" + end + "] = " + most);
  }

  public static MalformedException outside(long at, long offset, long first, long last) {
    return new MalformedException("offsets[" + at + "] = " + offset + " is not between " + first + " and " + last);
  }
}
