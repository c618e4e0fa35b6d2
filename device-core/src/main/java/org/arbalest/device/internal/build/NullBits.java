// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The nulls in a validity bitmap of the caller, as 64-bit words. The builder reads all of them before it sets any
 * (OWN-15).
 */
final class NullBits {
  private static final ValueLayout.OfLong WORD = JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private NullBits() {}

  /**
   * Returns a bit for each of {@code count} values, set if the value is null. The first value has bit {@code at}, which
   * is less than 64.
   */
  static long[] of(MemorySegment bitmap, long bitOffset, long at, long count) {
    if (count == 0) return new long[0];
    long[] nulls = new long[Math.toIntExact((at + count + Long.SIZE - 1) >>> 6)];
    for (int i = 0; i < nulls.length; i++) {
      long skipped = i == 0 ? at : 0;
      long before = Math.max(0, i * (long) Long.SIZE - at);
      long bits = Math.min(Long.SIZE - skipped, count - before);
      long valid = word(bitmap, bitOffset + before, bits);
      nulls[i] = (~valid & (-1L >>> (Long.SIZE - bits))) << skipped;
    }
    return nulls;
  }

  /**
   * Reads 1 to 64 bits, starting at {@code index}. The remaining bits of the result are undefined. Reads only the bytes
   * that contain these bits.
   */
  private static long word(MemorySegment bitmap, long index, long bits) {
    long first = index >>> 3;
    int shift = (int) (index & 7);
    long bytes = (shift + bits + 7) >>> 3;
    if (bytes < Long.BYTES) {
      long word = 0;
      for (long i = 0; i < bytes; i++) word |= Byte.toUnsignedLong(bitmap.get(JAVA_BYTE, first + i)) << (Byte.SIZE * i);
      return word >>> shift;
    }
    long word = bitmap.get(WORD, first) >>> shift;
    return bytes == Long.BYTES ? word : word | (long) bitmap.get(JAVA_BYTE, first + Long.BYTES) << (Long.SIZE - shift);
  }
}
