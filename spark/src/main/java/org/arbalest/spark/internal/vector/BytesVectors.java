// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.vector;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.util.Objects;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.unsafe.types.UTF8String;
import org.arbalest.device.columns.Column;
import org.jspecify.annotations.Nullable;

/** Vectors of text and binary. Text is read in place, and binary is copied into a Java array. */
final class BytesVectors {
  private BytesVectors() {}

  /** A vector whose values are an address and a size. */
  abstract static class OfBytes extends ArrowVector {
    OfBytes(DataType type) {
      super(type);
    }

    static UTF8String text(long address, long size) {
      return UTF8String.fromAddress(null, address, Math.toIntExact(size));
    }

    static byte[] bytes(long address, long size) {
      int count = Math.toIntExact(size);
      return Memory.copy(address, JAVA_BYTE, new byte[count], count);
    }
  }

  /**
   * Values by offsets of 32 or 64 bits. No read goes beyond the last offset: the offsets of a producer may be out of
   * order.
   */
  static final class Offsets extends OfBytes {
    private final boolean isLarge;
    private long offsets;
    private long data;
    private long end;

    Offsets(DataType type, boolean isLarge) {
      super(type);
      this.isLarge = isLarge;
    }

    @Override
    void onColumn(Column next) {
      offsets = next.bufferAddress(1);
      data = next.bufferAddress(2);
      end = next.length() == 0 ? 0 : offset(next.offset() + next.length());
    }

    private long offset(long at) {
      return isLarge ? Memory.getLong(offsets + 8 * at) : Memory.getInt(offsets + 4 * at);
    }

    @Override
    public @Nullable UTF8String getUTF8String(int row) {
      if (isNullAt(row)) return null;
      long at = at(row);
      long start = offset(at);
      long behind = offset(at + 1);
      Objects.checkFromToIndex(start, behind, end);
      return text(data + start, behind - start);
    }

    @Override
    public byte @Nullable [] getBinary(int row) {
      if (isNullAt(row)) return null;
      long at = at(row);
      long start = offset(at);
      long behind = offset(at + 1);
      Objects.checkFromToIndex(start, behind, end);
      return bytes(data + start, behind - start);
    }
  }

  /** Values by views of 16 bytes: the size, and either up to 12 bytes or their position. */
  static final class Views extends OfBytes {
    private static final int INLINE = 12;

    private Column column;
    private long views;

    /** The number of buffers of bytes, and the address of their sizes, which stand in the buffer after them. */
    private int buffers;

    private long sizes;

    @SuppressWarnings("NullAway.Init") // the vector shows a column before any read
    Views(DataType type) {
      super(type);
    }

    @Override
    void onColumn(Column next) {
      column = next;
      views = next.bufferAddress(1);
      buffers = next.bufferCount() - 3;
      sizes = next.bufferAddress(buffers + 2);
    }

    @Override
    public @Nullable UTF8String getUTF8String(int row) {
      if (isNullAt(row)) return null;
      long view = views + 16 * at(row);
      int size = Memory.getInt(view);
      return text(data(view, size), size);
    }

    @Override
    public byte @Nullable [] getBinary(int row) {
      if (isNullAt(row)) return null;
      long view = views + 16 * at(row);
      int size = Memory.getInt(view);
      return bytes(data(view, size), size);
    }

    /** Returns the address of the bytes, within an existing buffer. */
    private long data(long view, int size) {
      if (size < 0) throw new IndexOutOfBoundsException("a view of " + size + " bytes");
      if (size <= INLINE) return view + 4;
      int buffer = Objects.checkIndex(Memory.getInt(view + 8), buffers);
      long start = Memory.getInt(view + 12);
      Objects.checkFromIndexSize(start, (long) size, Memory.getLong(sizes + 8L * buffer));
      return column.bufferAddress(2 + buffer) + start;
    }
  }

  /** Binary values of a fixed size. */
  static final class Fixed extends OfBytes {
    private final int width;
    private long values;

    Fixed(DataType type, int width) {
      super(type);
      this.width = width;
    }

    @Override
    void onColumn(Column next) {
      values = next.bufferAddress(1);
    }

    @Override
    public byte @Nullable [] getBinary(int row) {
      if (isNullAt(row)) return null;
      return bytes(values + width * at(row), width);
    }
  }
}
