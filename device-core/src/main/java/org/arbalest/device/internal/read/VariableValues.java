// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.array.Ownership;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.types.FlatType.LargeUtf8Type;
import org.arbalest.device.types.FlatType.Utf8Type;

/** Reads text and binary with offsets. */
final class VariableValues extends TextValues {
  private final Offsets offsets;
  private final long data;
  private final long end;
  private final long room;

  /** Creates a reader. The result's type lets the JVM verify the caller without loading this class. */
  static Values of(ColumnImpl column, Ownership held) {
    return new VariableValues(column, held);
  }

  VariableValues(ColumnImpl column, Ownership held) {
    super(column, column.field().type() instanceof Utf8Type || column.field().type() instanceof LargeUtf8Type);
    this.offsets = new Offsets(column);
    this.data = RawArrowArray.buffer(column.struct, 2);
    this.end = RawArrowArray.offset(column.struct) + RawArrowArray.length(column.struct);
    this.room = held.dataSize(column.struct);
  }

  @Override
  byte[] getBytes(long at, long most) {
    long start = offsets.get(at);
    long size = Math.min(most, size(at, 1, start));
    return size == 0 ? new byte[0] : NativeHeap.getBytes(data + start, arrayLength(at, size));
  }

  /**
   * Returns the size of {@code count} values, whose first offset is {@code start}. Throws if they exceed the array's
   * last offset, or the size of the data if that is known.
   */
  private long size(long at, long count, long start) {
    long size = offsets.size(at, count, start, Math.min(offsets.get(end), room), "bytes of data");
    if (size > 0 && data == 0) throw offsets.malformed(at, "the data is NULL, but the offsets say " + size + " bytes");
    return size;
  }

  @Override
  MemorySegment segment(long from, long length) {
    if (length == 0) return MemorySegment.NULL; // the buffer of offsets may be NULL (ARR-08)
    long start = offsets.get(from);
    long size = size(from, length, start);
    return size == 0 ? MemorySegment.NULL : NativeHeap.segment(data + start, size);
  }
}
