// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.copy;

import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.memory.Integers;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.MalformedException;

/**
 * The positions of a struct's elements in its buffers and in its children, and the checks of offsets that lead there.
 */
public final class Positions {
  private Positions() {}

  /** Returns the position after the last element. */
  static long end(long source) {
    return RawArrowArray.offset(source) + RawArrowArray.length(source);
  }

  /** Returns where the elements of a child begin that belong to the parent's elements from {@code begin} on. */
  static long childStart(Layout layout, long child, long begin) {
    long offset = RawArrowArray.offset(child);
    return switch (layout.shape) {
      case STRUCT, SPARSE_UNION -> Math.addExact(offset, begin);
      case FIXED_LIST -> Math.addExact(offset, Math.multiplyExact(begin, layout.listSize));
      default -> offset;
    };
  }

  /**
   * Returns how many elements of a child belong to {@code count} elements of its parent. Returns all of them if a
   * buffer selects the elements.
   */
  static long childLength(Layout layout, long child, long count) {
    return switch (layout.shape) {
      case STRUCT, SPARSE_UNION -> count;
      case FIXED_LIST -> Math.multiplyExact(count, layout.listSize);
      default -> RawArrowArray.length(child);
    };
  }

  /**
   * Returns how many elements of a child belong to the first {@code hidden} elements of its parent, which are not
   * visible.
   */
  static long hiddenBelow(Layout layout, long hidden) {
    return switch (layout.shape) {
      case STRUCT, SPARSE_UNION -> hidden;
      case FIXED_LIST -> Math.multiplyExact(hidden, layout.listSize);
      default -> 0;
    };
  }

  /** Returns the number of surplus buffers. Older peers send a bitmap for types that have none (ARR-05). */
  public static long surplus(Layout layout, long source) {
    return layout.shape.hasValidity ? 0 : RawArrowArray.nBuffers(source) - layout.shape.buffers;
  }

  static long offset(Layout layout, long offsets, long index) {
    return Integers.get(offsets, layout.bits, index);
  }

  /** Checks that the range of two offsets is within the existing data, as far as its size is known. */
  public static void checkExtent(long begin, long end, long first, long last, long known, String what) {
    if (first < 0 || last < first) {
      throw new MalformedException(
          "offsets[" + end + "] = " + last + " is before offsets[" + begin + "] = " + first + ", or one is negative");
    }
    if (last > known)
      throw new MalformedException("offsets[" + end + "] = " + last + " is beyond the " + known + " " + what);
  }

  /** Creates the error for data that offsets cannot address, with the way out. */
  public static MalformedException beyondOffsets(String data, long bits) {
    return new MalformedException(data + " are more than offsets of " + bits
        + " bits reach; take fewer rows, or a large_ type, with offsets of 64 bits");
  }

  /** Creates the error for an offset that is larger than the last offset. */
  public static MalformedException beyondLast(long at, long offset, long end, long most) {
    return new MalformedException(
        "offsets[" + at + "] = " + offset + " is beyond the last, offsets[" + end + "] = " + most);
  }

  /** Creates the error for an offset that is outside a range. */
  public static MalformedException outside(long at, long offset, long first, long last) {
    return new MalformedException("offsets[" + at + "] = " + offset + " is not between " + first + " and " + last);
  }
}
