// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.arbalest.device.FlatType.Utf8ViewType;
import org.arbalest.device.abi.ArrowArrayStruct;
import org.arbalest.device.internal.memory.NativeHeap;

/** Text and binary as views: 16 bytes with the value itself, if it is short, or with where it is in which data buffer. */
final class ViewValues extends Values {
  private static final int INLINE = 12;

  private final ColumnImpl column;
  private final long views;

  /** The addresses of the data buffers, and their sizes. */
  private final long data;

  private final long count;
  private final long sizes;
  private final boolean isText;

  ViewValues(ColumnImpl column) {
    super(column.field());
    this.column = column;
    this.views = ArrowArrayStruct.buffer(column.struct, 1);
    this.data = ArrowArrayStruct.buffers(column.struct) + 2 * Long.BYTES;
    this.count = ArrowArrayStruct.nBuffers(column.struct) - 3;
    this.sizes = ArrowArrayStruct.buffer(column.struct, count + 2);
    this.isText = field.type() instanceof Utf8ViewType;
  }

  /** The number of a value's bytes. */
  int size(long at) {
    int size = NativeHeap.getInt(views + 16 * at);
    if (size < 0) throw column.malformed(at, "the length of views[" + at + "] is " + size);
    return size;
  }

  /** The number of a value's bytes, which all are where the view says. */
  int checkedSize(long at) {
    int size = size(at);
    if (size > INLINE) address(at, size);
    return size;
  }

  /** Where so many bytes of a value are; checked to lie within their buffer. */
  long address(long at, int size) {
    long view = views + 16 * at;
    if (size <= INLINE) return view + 4;
    int buffer = NativeHeap.getInt(view + 8);
    if (buffer < 0 || buffer >= count) {
      throw column.malformed(at, "views[" + at + "] is in data buffer " + buffer + ", but there are " + count);
    }
    int start = NativeHeap.getInt(view + 12);
    long room = NativeHeap.getLong(sizes + (long) Long.BYTES * buffer);
    if (start < 0 || start > room - size) {
      throw column.malformed(at, "views[" + at + "] has " + size + " bytes from " + start + " on, but data buffer " + buffer + " has " + room);
    }
    return NativeHeap.getLong(data + (long) Long.BYTES * buffer) + start;
  }

  @Override
  byte[] getBytes(long at, long most) {
    int size = size(at);
    return NativeHeap.getBytes(address(at, size), arrayLength(at, Math.min(most, size)));
  }

  @Override
  boolean isText() {
    return isText;
  }

  @Override
  String getString(long at) {
    if (!isText) throw cannot(Getter.STRING.what);
    return new String(getBytes(at), UTF_8);
  }

  @Override
  Object get(long at) {
    return isText ? getString(at) : getBytes(at);
  }
}
