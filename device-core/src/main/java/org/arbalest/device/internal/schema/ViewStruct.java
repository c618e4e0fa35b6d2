// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.schema;

import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.memory.NativeHeap;
import org.jspecify.annotations.Nullable;

/**
 * The layout of a view of text or binary: the size, then a short value itself. For a longer value: its first bytes, the
 * index of its data buffer, and its offset there.
 */
public final class ViewStruct {
  public static final int SIZE = 16;

  /** The largest value that is in the view itself, in bytes. */
  public static final int INLINE = 12;

  /** The number of bytes of a longer value that are in the view. */
  public static final int PREFIX = 4;

  private static final int BUFFER = 8;
  private static final int OFFSET = 12;

  private ViewStruct() {}

  /** Returns the size of the value in bytes. */
  public static int size(long view) {
    return NativeHeap.getInt(view);
  }

  /** Returns the address of a short value, or of the first bytes of a longer one. */
  public static long value(long view) {
    return view + Integer.BYTES;
  }

  /** Returns the index of the data buffer, counted from 0. */
  public static int buffer(long view) {
    return NativeHeap.getInt(view + BUFFER);
  }

  public static void setBuffer(long view, int buffer) {
    NativeHeap.putInt(view + BUFFER, buffer);
  }

  public static int offset(long view) {
    return NativeHeap.getInt(view + OFFSET);
  }

  public static void setOffset(long view, int offset) {
    NativeHeap.putInt(view + OFFSET, offset);
  }

  /** Copies a view. For a null it writes an empty view, because the view of a null is undefined. */
  public static void copy(long from, long to, boolean isNull) {
    NativeHeap.putLong(to, isNull ? 0 : NativeHeap.getLong(from));
    NativeHeap.putLong(to + BUFFER, isNull ? 0 : NativeHeap.getLong(from + BUFFER));
  }

  /** Returns the number of data buffers of an array of views. */
  public static long variadic(long struct) {
    return RawArrowArray.nBuffers(struct) - 3;
  }

  /** Returns the address of the list of the data buffers' sizes, which is always in CPU memory (ARR-07). */
  public static long sizes(long struct) {
    return RawArrowArray.buffer(struct, variadic(struct) + 2);
  }

  /** Returns the size of a data buffer. */
  public static long dataSize(long struct, long buffer) {
    return NativeHeap.getLong(sizes(struct) + Long.BYTES * buffer);
  }

  /**
   * Returns the error in the position of a longer value, or null if the value lies within its data buffer. The caller
   * reads the view once before, because a producer may write to it at the same time.
   */
  public static @Nullable String fault(long at, int size, int buffer, int offset, long variadic, long sizes) {
    if (buffer < 0 || buffer >= variadic)
      return "views[" + at + "] is in data buffer " + buffer + ", but there are " + variadic;
    long known = NativeHeap.getLong(sizes + (long) Long.BYTES * buffer);
    if (offset >= 0 && size <= known - offset) return null;
    return "views[" + at + "] has " + size + " bytes at " + offset + ", but data buffer " + buffer + " has " + known;
  }
}
