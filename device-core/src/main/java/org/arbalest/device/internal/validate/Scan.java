// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.validate;

import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.Units;

/**
 * Searches for the next suspicious integer in CPU memory. The caller then checks whether it belongs to a null, and
 * continues after it in that case.
 *
 * <p>There is one loop for each width, because a loop that reads the width for each element is ten times slower.
 */
final class Scan {
  private Scan() {}

  /**
   * Returns the first of {@code count} integers of 32 or 64 bits that is less than the one before or less than 0, or
   * {@code count}.
   */
  static long descent(long at, long bits, long count) {
    return bits == 32 ? descentOfInts(at, count) : descentOfLongs(at, count);
  }

  private static long descentOfInts(long at, long count) {
    int before = 0;
    for (long i = 0; i < count; i++) {
      int now = NativeHeap.getInt(at + 4 * i);
      if (now < before) return i;
      before = now;
    }
    return count;
  }

  private static long descentOfLongs(long at, long count) {
    long before = 0;
    for (long i = 0; i < count; i++) {
      long now = NativeHeap.getLong(at + 8 * i);
      if (now < before) return i;
      before = now;
    }
    return count;
  }

  /**
   * Returns the first of {@code count} integers of 16, 32 or 64 bits that is not greater than the one before, or not
   * greater than 0. Returns {@code count} without one.
   */
  static long standstill(long at, long bits, long count) {
    return switch ((int) bits) {
      case 16 -> standstillOfShorts(at, count);
      case 32 -> standstillOfInts(at, count);
      default -> standstillOfLongs(at, count);
    };
  }

  private static long standstillOfShorts(long at, long count) {
    short before = 0;
    for (long i = 0; i < count; i++) {
      short now = NativeHeap.getShort(at + 2 * i);
      if (now <= before) return i;
      before = now;
    }
    return count;
  }

  private static long standstillOfInts(long at, long count) {
    int last = 0;
    for (long i = 0; i < count; i++) {
      int now = NativeHeap.getInt(at + 4 * i);
      if (now <= last) return i;
      last = now;
    }
    return count;
  }

  private static long standstillOfLongs(long at, long count) {
    long before = 0;
    for (long i = 0; i < count; i++) {
      long now = NativeHeap.getLong(at + 8 * i);
      if (now <= before) return i;
      before = now;
    }
    return count;
  }

  /**
   * Returns the first of {@code count} offsets and sizes of 32 or 64 bits that is negative or reaches beyond
   * {@code known} elements, or {@code count}.
   */
  static long beyond(long offsets, long sizes, long bits, long count, long known) {
    return bits == 32 ? beyondOfInts(offsets, sizes, count, known) : beyondOfLongs(offsets, sizes, count, known);
  }

  private static long beyondOfInts(long offsets, long sizes, long count, long known) {
    for (long i = 0; i < count; i++) {
      long offset = NativeHeap.getInt(offsets + 4 * i);
      long size = NativeHeap.getInt(sizes + 4 * i);
      if ((offset | size) < 0 || offset + size > known) return i;
    }
    return count;
  }

  private static long beyondOfLongs(long offsets, long sizes, long count, long known) {
    for (long i = 0; i < count; i++) {
      long offset = NativeHeap.getLong(offsets + 8 * i);
      long size = NativeHeap.getLong(sizes + 8 * i);
      if ((offset | size) < 0 || offset > known - size) return i;
    }
    return count;
  }

  /**
   * Returns the first integer, starting at {@code from}, that is not from {@code least} to {@code most}, or
   * {@code count}. 64-bit integers are always read as signed.
   */
  static long outside(long at, long bits, boolean isSigned, long from, long count, long least, long most) {
    return switch ((int) bits) {
      case 8 -> isSigned ? outsideOfBytes(at, from, count, least, most) : outsideOfUnsignedBytes(at, from, count, most);
      case 16 ->
          isSigned ? outsideOfShorts(at, from, count, least, most) : outsideOfUnsignedShorts(at, from, count, most);
      case 32 -> isSigned ? outsideOfInts(at, from, count, least, most) : outsideOfUnsignedInts(at, from, count, most);
      default -> outsideOfLongs(at, from, count, least, most);
    };
  }

  private static long outsideOfBytes(long at, long from, long count, long least, long most) {
    for (long i = from; i < count; i++) {
      long value = NativeHeap.getByte(at + i);
      if (value < least || value > most) return i;
    }
    return count;
  }

  private static long outsideOfUnsignedBytes(long at, long from, long count, long most) {
    for (long i = from; i < count; i++) {
      if (Byte.toUnsignedLong(NativeHeap.getByte(at + i)) > most) return i;
    }
    return count;
  }

  private static long outsideOfShorts(long at, long from, long count, long least, long most) {
    for (long i = from; i < count; i++) {
      long value = NativeHeap.getShort(at + 2 * i);
      if (value < least || value > most) return i;
    }
    return count;
  }

  private static long outsideOfUnsignedShorts(long at, long from, long count, long most) {
    for (long i = from; i < count; i++) {
      if (Short.toUnsignedLong(NativeHeap.getShort(at + 2 * i)) > most) return i;
    }
    return count;
  }

  private static long outsideOfInts(long at, long from, long count, long least, long most) {
    for (long i = from; i < count; i++) {
      long value = NativeHeap.getInt(at + 4 * i);
      if (value < least || value > most) return i;
    }
    return count;
  }

  private static long outsideOfUnsignedInts(long at, long from, long count, long most) {
    for (long i = from; i < count; i++) {
      if (Integer.toUnsignedLong(NativeHeap.getInt(at + 4 * i)) > most) return i;
    }
    return count;
  }

  private static long outsideOfLongs(long at, long from, long count, long least, long most) {
    for (long i = from; i < count; i++) {
      long value = NativeHeap.getLong(at + 8 * i);
      if (value < least || value > most) return i;
    }
    return count;
  }

  /**
   * Returns the first number of milliseconds, starting at {@code from}, that is not a whole number of days, or
   * {@code count}.
   */
  static long partOfDay(long at, long from, long count) {
    for (long i = from; i < count; i++) {
      if (NativeHeap.getLong(at + 8 * i) % Units.MILLIS_PER_DAY != 0) return i;
    }
    return count;
  }

  /**
   * Returns the first integer of 128 or 256 bits, starting at {@code from}, that may lie outside −{@code most} to
   * {@code most}, or {@code count}.
   *
   * @param most the largest valid number, or the largest {@code long} if that is smaller
   * @param upper the upper 64 bits of the largest valid number; if a number's upper bits are strictly within them, its
   *     other bits do not matter
   */
  static long wide(long at, long width, long from, long count, long most, long upper) {
    for (long i = from; i < count; i++) {
      long value = at + width * i;
      long lowest = NativeHeap.getLong(value);
      long highest = NativeHeap.getLong(value + width - 8);
      boolean isLong = highest == lowest >> 63
          && (width == 16 || (NativeHeap.getLong(value + 8) == highest && NativeHeap.getLong(value + 16) == highest));
      if (isLong ? lowest > most || lowest < -most : highest >= upper || highest <= -upper) return i;
    }
    return count;
  }
}
