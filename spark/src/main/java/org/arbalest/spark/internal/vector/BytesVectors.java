// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.vector;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import org.apache.spark.sql.types.DataType;
import org.apache.spark.unsafe.types.UTF8String;
import org.arbalest.device.Column;

/** Text and binary. Text is read where it is, binary is copied into an array of its own. */
final class BytesVectors {
  private BytesVectors() {}

  /** A value is an address and a size. */
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

  /** By offsets of 32 bits. */
  static final class Offsets extends OfBytes {
    private long offsets;
    private long data;

    Offsets(DataType type) {
      super(type);
    }

    @Override
    void shown(Column next) {
      offsets = next.bufferAddress(1);
      data = next.bufferAddress(2);
    }

    @Override
    public UTF8String getUTF8String(int row) {
      long at = offsets + 4 * at(row);
      int start = Memory.getInt(at);
      return text(data + start, Memory.getInt(at + 4) - start);
    }

    @Override
    public byte[] getBinary(int row) {
      long at = offsets + 4 * at(row);
      int start = Memory.getInt(at);
      return bytes(data + start, Memory.getInt(at + 4) - start);
    }
  }

  /** By offsets of 64 bits. */
  static final class LargeOffsets extends OfBytes {
    private long offsets;
    private long data;

    LargeOffsets(DataType type) {
      super(type);
    }

    @Override
    void shown(Column next) {
      offsets = next.bufferAddress(1);
      data = next.bufferAddress(2);
    }

    @Override
    public UTF8String getUTF8String(int row) {
      long at = offsets + 8 * at(row);
      long start = Memory.getLong(at);
      return text(data + start, Memory.getLong(at + 8) - start);
    }

    @Override
    public byte[] getBinary(int row) {
      long at = offsets + 8 * at(row);
      long start = Memory.getLong(at);
      return bytes(data + start, Memory.getLong(at + 8) - start);
    }
  }

  /** By views of 16 bytes: the size, and up to 12 bytes, or where they are. */
  static final class Views extends OfBytes {
    private static final int INLINE = 12;

    private Column column;
    private long views;

    @SuppressWarnings("NullAway.Init") // shown before it is read
    Views(DataType type) {
      super(type);
    }

    @Override
    void shown(Column next) {
      column = next;
      views = next.bufferAddress(1);
    }

    @Override
    public UTF8String getUTF8String(int row) {
      long view = views + 16 * at(row);
      return text(data(view), Memory.getInt(view));
    }

    @Override
    public byte[] getBinary(int row) {
      long view = views + 16 * at(row);
      return bytes(data(view), Memory.getInt(view));
    }

    private long data(long view) {
      if (Memory.getInt(view) <= INLINE) return view + 4;
      return column.bufferAddress(2 + Memory.getInt(view + 8)) + Memory.getInt(view + 12);
    }
  }

  /** Binary of one size. */
  static final class Fixed extends OfBytes {
    private final int width;
    private long values;

    Fixed(DataType type, int width) {
      super(type);
      this.width = width;
    }

    @Override
    void shown(Column next) {
      values = next.bufferAddress(1);
    }

    @Override
    public byte[] getBinary(int row) {
      return bytes(values + width * at(row), width);
    }
  }
}
