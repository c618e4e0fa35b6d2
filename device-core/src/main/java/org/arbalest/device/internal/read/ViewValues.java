// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read;

import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.ViewStruct;
import org.arbalest.device.types.FlatType.Utf8ViewType;

/** Reads text and binary views. */
final class ViewValues extends TextValues {
  private final long views;

  /** The address of the list of data buffers, their number, and the address of the list of their sizes. */
  private final long data;

  private final long count;
  private final long sizes;

  ViewValues(ColumnImpl column) {
    super(column, column.field().type() instanceof Utf8ViewType);
    this.views = RawArrowArray.buffer(column.struct, 1);
    this.data = RawArrowArray.buffers(column.struct) + 2 * Long.BYTES;
    this.count = ViewStruct.variadic(column.struct);
    this.sizes = ViewStruct.sizes(column.struct);
  }

  /** Returns the size of a value in bytes. */
  int size(long at) {
    int size = ViewStruct.size(views + ViewStruct.SIZE * at);
    if (size < 0) throw column.malformed(at, "the length of views[" + at + "] is " + size);
    return size;
  }

  /** Returns the size of a value in bytes, after a check that all of them lie within their buffer. */
  int checkedSize(long at) {
    int size = size(at);
    if (size > ViewStruct.INLINE) address(at, size);
    return size;
  }

  /** Returns the address of a value of {@code size} bytes, after a check that it lies within its buffer. */
  long address(long at, int size) {
    long view = views + ViewStruct.SIZE * at;
    if (size <= ViewStruct.INLINE) return ViewStruct.value(view);
    int buffer = ViewStruct.buffer(view);
    int offset = ViewStruct.offset(view);
    String fault = ViewStruct.fault(at, size, buffer, offset, count, sizes);
    if (fault != null) throw column.malformed(at, fault);
    return NativeHeap.getLong(data + (long) Long.BYTES * buffer) + offset;
  }

  @Override
  byte[] getBytes(long at, long most) {
    int size = size(at);
    return NativeHeap.getBytes(address(at, size), arrayLength(at, Math.min(most, size)));
  }
}
