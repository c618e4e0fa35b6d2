// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array;

import org.arbalest.device.DeviceException;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.FieldImpl;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.MalformedException;
import org.arbalest.device.types.Field;

/**
 * Structural validation of arrays (ARR-17): the structs must agree with the schema and with each other. Never reads a
 * buffer that may be on a device. Allocates nothing unless a check fails.
 */
public final class Structure {
  private Structure() {}

  /**
   * Validates an array of any type.
   *
   * @return whether it, or an array below it, has no elements, but an offset, or offsets whose first value may be
   *     anything (ARR-19)
   * @throws DeviceException with the path of the field, the fault and the numbers, if the structure is malformed
   */
  public static boolean validate(Field field, long array) {
    try {
      return check(Layout.of(field), array, 0);
    } catch (MalformedException e) {
      throw e.toException();
    }
  }

  /**
   * Checks a struct and the structs below it. The parent needs {@code needed} elements of it. Returns the same as
   * {@link #validate}.
   */
  private static boolean check(Layout layout, long array, long needed) {
    long length = RawArrowArray.length(array);
    long offset = RawArrowArray.offset(array);
    long nulls = RawArrowArray.nullCount(array);
    long end = offset + length;
    if (length < 0 || offset < 0 || end < 0 || end > layout.most || nulls < -1 || nulls > length)
      throw wrong(layout, length, offset, nulls);
    checkBuffers(layout, array, end, length, nulls);
    boolean below = checkChildren(layout, array, end);
    below |= checkDictionary(layout, array);
    if (length < needed) throw new MalformedException("length = " + length + ", but its parent needs " + needed);
    return below
        || (length == 0 && (offset != 0 || layout.shape == Layout.Shape.VARIABLE || layout.shape == Layout.Shape.LIST));
  }

  /**
   * Returns the error for the numbers of a struct. It is separate from the check, which is faster if its method is
   * smaller.
   */
  private static MalformedException wrong(Layout layout, long length, long offset, long nulls) {
    if (length < 0) return new MalformedException("length = " + length + " is negative");
    if (offset < 0) return new MalformedException("offset = " + offset + " is negative");
    if (offset + length < 0)
      return new MalformedException("offset + length = " + offset + " + " + length + " overflows");
    if (offset + length > layout.most) return tooMany(layout, offset + length);
    return new MalformedException("null_count = " + nulls + " is not within -1.." + length);
  }

  /** Creates the error for more elements than memory can contain (ARR-20). */
  static MalformedException tooMany(Layout layout, long end) {
    return new MalformedException(
        "offset + length = " + end + " elements of type " + layout.kind() + " do not fit in memory");
  }

  private static void checkBuffers(Layout layout, long array, long end, long length, long nulls) {
    Layout.Shape shape = layout.shape;
    long count = RawArrowArray.nBuffers(array);
    boolean legal =
        shape == Layout.Shape.VIEW ? count >= shape.buffers : count == shape.buffers || isLegacy(shape, count);
    if (!legal || count > Integer.MAX_VALUE) {
      String expected = shape == Layout.Shape.VIEW ? "at least " + shape.buffers : String.valueOf(shape.buffers);
      throw new MalformedException(
          "n_buffers = " + count + ", but an array of type " + layout.kind() + " has " + expected);
    }
    if (count == 0) return;
    long buffers = RawArrowArray.buffers(array);
    if (buffers == 0) throw new MalformedException("n_buffers = " + count + ", but buffers is NULL");
    if (shape.hasValidity && nulls > 0 && NativeHeap.getLong(buffers) == 0) {
      throw new MalformedException("null_count = " + nulls + ", but there is no validity bitmap");
    }
    if (count > shape.buffers && isUnion(shape) && nulls != 0 && length > 0 && NativeHeap.getLong(buffers) != 0) {
      throw new MalformedException("null_count = " + nulls
          + ", and a bitmap in front of the types, as older peers have it, but unions have no nulls of their own");
    }
    if (shape.hasValidity && end > Layout.MOST_BYTES * 8 && NativeHeap.getLong(buffers) != 0)
      throw tooMany(layout, end);
    if (length > 0) checkPresent(layout, buffers, count, end);
    if (shape == Layout.Shape.VIEW) checkVariadic(array, count - 3);
  }

  /**
   * Returns whether this is an export of older peers: a bitmap for null arrays and unions (ARR-05). Arrow C++ also
   * accepts the bitmap if it has no nulls.
   */
  private static boolean isLegacy(Layout.Shape shape, long count) {
    return (shape == Layout.Shape.NULL || isUnion(shape)) && count == shape.buffers + 1;
  }

  private static boolean isUnion(Layout.Shape shape) {
    return shape == Layout.Shape.SPARSE_UNION || shape == Layout.Shape.DENSE_UNION;
  }

  private static void checkPresent(Layout layout, long buffers, long count, long end) {
    Layout.Shape shape = layout.shape;
    long first = shape.hasValidity ? 1 : count - shape.buffers;
    long required = shape == Layout.Shape.FIXED && layout.bits == 0 ? 0 : shape.required;
    for (long i = first; i < first + required; i++) {
      if (NativeHeap.getLong(buffers + Long.BYTES * i) == 0) {
        throw new MalformedException("buffers[" + i + "] is NULL, but the array needs " + end + " elements of it");
      }
    }
  }

  /** Checks the sizes of the data buffers of a view array. That list is always in CPU memory (ARR-07). */
  private static void checkVariadic(long array, long count) {
    long sizes = RawArrowArray.buffer(array, count + 2);
    if (count == 0) return;
    if (sizes == 0)
      throw new MalformedException("there are " + count + " variadic buffers, but the buffer of their sizes is NULL");
    long sum = 0;
    for (long i = 0; i < count; i++) {
      long size = NativeHeap.getLong(sizes + Long.BYTES * i);
      if (size < 0) throw new MalformedException("the size of variadic buffer " + i + " is " + size);
      if (size > 0 && RawArrowArray.buffer(array, 2 + i) == 0) {
        throw new MalformedException("variadic buffer " + i + " is NULL, but its size is " + size);
      }
      if (size > Layout.MOST_BYTES - sum) {
        throw new MalformedException(
            "the size of variadic buffer " + i + " is " + size + ", so that the variadic buffers do not fit in memory");
      }
      sum += size;
    }
  }

  private static boolean checkChildren(Layout layout, long array, long end) {
    FieldImpl[] children = layout.children;
    long count = RawArrowArray.nChildren(array);
    if (count != children.length) {
      throw new MalformedException("n_children = " + count + ", but the schema has " + children.length);
    }
    if (count == 0) return false;
    long list = RawArrowArray.children(array);
    if (list == 0) throw new MalformedException("n_children = " + count + ", but children is NULL");
    long needed = neededOfChildren(layout, end);
    boolean below = false;
    for (int i = 0; i < children.length; i++) {
      long child = NativeHeap.getLong(list + (long) Long.BYTES * i);
      if (child == 0) throw new MalformedException("children[" + i + "] is NULL");
      if (RawArrowArray.release(child) == 0) throw new MalformedException("children[" + i + "] is released");
      try {
        below |= check(children[i].layout, child, needed);
      } catch (MalformedException e) {
        throw e.under(children[i].name().isEmpty() ? "[" + i + "]" : children[i].name());
      }
    }
    if (layout.shape == Layout.Shape.RUN_END) checkRuns(list, RawArrowArray.length(array));
    return below;
  }

  /** Checks that each run has an end and a value. The positions of the ends are only in a buffer. */
  private static void checkRuns(long children, long parentLength) {
    long ends = RawArrowArray.length(NativeHeap.getLong(children));
    long values = RawArrowArray.length(NativeHeap.getLong(children + Long.BYTES));
    if (ends == 0 && parentLength > 0)
      throw new MalformedException("length = " + parentLength + ", but there are no runs");
    if (values < ends) throw new MalformedException("there are " + ends + " run ends, but " + values + " values");
  }

  /**
   * Returns the necessary length of the children for a parent whose offset + length is {@code end} (ARR-10, ARR-11).
   * Returns 0 if only buffers contain it.
   */
  private static long neededOfChildren(Layout layout, long end) {
    if (layout.shape.sharesRows()) return end;
    if (layout.shape != Layout.Shape.FIXED_LIST) return 0;
    long needed = end * layout.listSize;
    if (Math.multiplyHigh(end, layout.listSize) != 0 || needed < 0) {
      throw new MalformedException("offset + length = " + end + " lists of " + layout.listSize + " overflow");
    }
    return needed;
  }

  private static boolean checkDictionary(Layout layout, long array) {
    FieldImpl field = layout.dictionary;
    long dictionary = RawArrowArray.dictionary(array);
    if (field == null) {
      if (dictionary != 0) throw new MalformedException("there is a dictionary, but the schema has none");
      return false;
    }
    if (dictionary == 0) throw new MalformedException("the dictionary is NULL, but the schema has one");
    try {
      if (RawArrowArray.release(dictionary) == 0) throw new MalformedException("is released");
      return check(Layout.of(field), dictionary, 0);
    } catch (MalformedException e) {
      throw e.under(MalformedException.DICTIONARY);
    }
  }
}
