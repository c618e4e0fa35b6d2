// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.memory;

/** Bitmaps in CPU memory, least significant bit first. */
public final class Bitmaps {
  private Bitmaps() {}

  public static boolean get(long bitmap, long index) {
    return (NativeHeap.getByte(bitmap + (index >>> 3)) >>> (index & 7) & 1) != 0;
  }

  /** Returns a bit as 0 or 1. */
  public static long bit(long bitmap, long index) {
    return (long) NativeHeap.getByte(bitmap + (index >>> 3)) >>> (index & 7) & 1;
  }

  /** Returns 64 bits from {@code index} on; the first is the lowest bit of the result. */
  public static long word(long bitmap, long index) {
    long at = bitmap + (index >>> 3);
    int shift = (int) (index & 7);
    long low = NativeHeap.getLong(at) >>> shift;
    return shift == 0 ? low : low | (long) NativeHeap.getByte(at + Long.BYTES) << (Long.SIZE - shift);
  }

  /**
   * Returns fewer than 64 bits from {@code index} on; the first is the lowest bit of the result. The bits after them
   * are zero. Reads no byte after the last bit.
   */
  public static long word(long bitmap, long index, int count) {
    long bits = 0;
    for (int i = 0; i < count; i++) bits |= (get(bitmap, index + i) ? 1L : 0) << i;
    return bits;
  }

  public static void set(long bitmap, long index) {
    long at = bitmap + (index >>> 3);
    NativeHeap.putByte(at, (byte) (NativeHeap.getByte(at) | 1 << (index & 7)));
  }

  /** Sets {@code length} bits from {@code from} on. */
  public static void setAll(long bitmap, long from, long length) {
    long index = from;
    long end = from + length;
    while (index < end && (index & 7) != 0) set(bitmap, index++);
    long bytes = (end - index) >>> 3;
    if (bytes > 0) NativeHeap.fill(bitmap + (index >>> 3), bytes, (byte) -1);
    index += bytes << 3;
    while (index < end) set(bitmap, index++);
  }

  /** Copies {@code length} bits, from any bit position to any other. All bits of the target must be zero. */
  public static void copy(long from, long first, long to, long at, long length) {
    long i = 0;
    for (; i < length && ((at + i) & 7) != 0; i++) copyBit(from, first + i, to, at + i);
    long bytes = (length - i) >>> 3;
    long source = from + ((first + i) >>> 3);
    long target = to + ((at + i) >>> 3);
    int shift = (int) ((first + i) & 7);
    if (shift == 0) {
      NativeHeap.copy(source, target, bytes);
    } else {
      for (long b = 0; b < bytes; b++) {
        int two = Byte.toUnsignedInt(NativeHeap.getByte(source + b))
            | (Byte.toUnsignedInt(NativeHeap.getByte(source + b + 1)) << 8);
        NativeHeap.putByte(target + b, (byte) (two >>> shift));
      }
    }
    for (i += bytes << 3; i < length; i++) copyBit(from, first + i, to, at + i);
  }

  private static void copyBit(long from, long first, long to, long at) {
    if (get(from, first)) set(to, at);
  }

  /** Returns the number of ones among {@code length} bits from {@code from} on. */
  public static long countOnes(long bitmap, long from, long length) {
    long ones = 0;
    long index = from;
    long end = from + length;
    while (index < end && (index & 7) != 0) ones += get(bitmap, index++) ? 1 : 0;
    for (; end - index >= 64; index += 64) ones += Long.bitCount(NativeHeap.getLong(bitmap + (index >>> 3)));
    while (index < end) ones += get(bitmap, index++) ? 1 : 0;
    return ones;
  }
}
