// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.memory;

/** Contiguous integers of 8, 16, 32 or 64 bits in CPU memory. */
public final class Integers {
  private Integers() {}

  public static long get(long address, long bits, long index) {
    return switch ((int) bits) {
      case 8 -> NativeHeap.getByte(address + index);
      case 16 -> NativeHeap.getShort(address + 2 * index);
      case 32 -> NativeHeap.getInt(address + 4 * index);
      default -> NativeHeap.getLong(address + 8 * index);
    };
  }

  public static long getUnsigned(long address, long bits, long index) {
    long value = get(address, bits, index);
    return bits == 64 ? value : value & most(bits, false);
  }

  public static void put(long address, long bits, long index, long value) {
    switch ((int) bits) {
      case 8 -> NativeHeap.putByte(address + index, (byte) value);
      case 16 -> NativeHeap.putShort(address + 2 * index, (short) value);
      case 32 -> NativeHeap.putInt(address + 4 * index, (int) value);
      default -> NativeHeap.putLong(address + 8 * index, value);
    }
  }

  /** Returns the greatest integer of this number of bits; for unsigned integers of 64 bits, the greatest long. */
  public static long most(long bits, boolean isSigned) {
    return Long.MAX_VALUE >>> (isSigned || bits == 64 ? 64 - bits : 63 - bits);
  }
}
