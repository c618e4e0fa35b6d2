// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.vector;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Reads of memory by its address. The caller has checked the address. */
final class Memory {
  private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  private Memory() {}

  static byte getByte(long address) {
    return ALL.get(JAVA_BYTE, address);
  }

  static short getShort(long address) {
    return ALL.get(JAVA_SHORT_UNALIGNED, address);
  }

  static int getInt(long address) {
    return ALL.get(JAVA_INT_UNALIGNED, address);
  }

  static long getLong(long address) {
    return ALL.get(JAVA_LONG_UNALIGNED, address);
  }

  static float getFloat(long address) {
    return ALL.get(JAVA_FLOAT_UNALIGNED, address);
  }

  static double getDouble(long address) {
    return ALL.get(JAVA_DOUBLE_UNALIGNED, address);
  }

  /** Returns a bit of a bitmap, counted from the lowest bit of its first byte. */
  static boolean getBit(long address, long index) {
    return (getByte(address + (index >> 3)) >> (index & 7) & 1) != 0;
  }

  /** Fills an array from its start; a layout describes the elements. */
  static <T> T copy(long address, ValueLayout layout, T array, int count) {
    MemorySegment.copy(ALL, layout, address, array, 0, count);
    return array;
  }
}
