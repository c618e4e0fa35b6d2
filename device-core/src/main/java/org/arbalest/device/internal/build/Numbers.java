// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import org.arbalest.device.internal.memory.NativeHeap;

/** A buffer of integers of 1, 2, 4 or 8 bytes: offsets, sizes, indices or run ends. */
final class Numbers {
  private final GrowableBuffer buffer;
  private int bytes;

  Numbers(BuildMemory memory, long bits, long count) {
    this.bytes = (int) (bits >>> 3);
    this.buffer = new GrowableBuffer(memory, Math.multiplyExact(bytes, count));
  }

  void put(long value) {
    switch (bytes) {
      case 8 -> buffer.putLong(value);
      case 4 -> buffer.putInt((int) value);
      case 2 -> buffer.putShort((short) value);
      default -> buffer.putByte((byte) value);
    }
  }

  /** Appends a number several times. */
  void put(long value, long count) {
    if (value == 0) {
      buffer.extendWithZeroes(Math.multiplyExact(bytes, count));
      return;
    }
    long before = buffer.size();
    buffer.extend(Math.multiplyExact(bytes, count)); // makes the buffer grow once
    buffer.truncate(before);
    for (long i = 0; i < count; i++) put(value);
  }

  /** Returns a number, as a signed integer. */
  long get(long index) {
    return get(buffer.address() + index * bytes, bytes);
  }

  private static long get(long at, int bytes) {
    return switch (bytes) {
      case 8 -> NativeHeap.getLong(at);
      case 4 -> NativeHeap.getInt(at);
      case 2 -> NativeHeap.getShort(at);
      default -> NativeHeap.getByte(at);
    };
  }

  long count() {
    return buffer.size() / bytes;
  }

  void truncate(long count) {
    buffer.truncate(count * bytes);
  }

  /** Makes the stored numbers, none of which is negative, wider. */
  void widen(int bits) {
    long count = count();
    int narrow = bytes;
    buffer.extend(count * ((bits >>> 3) - narrow));
    buffer.truncate(0);
    bytes = bits >>> 3;
    long mask = -1L >>> (Long.SIZE - Byte.SIZE * narrow);
    for (long i = count - 1; i >= 0; i--) { // backwards, so that each number is read before it is overwritten
      buffer.truncate(i * bytes);
      put(get(buffer.address() + i * narrow, narrow) & mask);
    }
    buffer.truncate(count * bytes);
  }

  /** Makes the stored numbers narrower. All of them fit in the new width. */
  void narrow(int bits) {
    long count = count();
    int wide = bytes;
    long address = buffer.address();
    buffer.truncate(0);
    bytes = bits >>> 3;
    for (long i = 0; i < count; i++) put(get(address + i * wide, wide));
  }

  GrowableBuffer buffer() {
    return buffer;
  }
}
