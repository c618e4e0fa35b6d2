// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.convert;

import org.arbalest.device.internal.memory.Bitmaps;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.memory.RowBits;

/**
 * The rows that a filter keeps. Values of a fixed width and bits are copied by the words of the selection, and ranges of
 * rows at once. Other values need the list of positions, which is written when it is first used.
 */
final class Marked {
  /** With more rows of 64, runs of rows are copied instead of single rows. */
  private static final int DENSE = 48;

  /** Ranges up to this size in bytes are copied word by word. */
  private static final long SHORT = 128;

  final RowBits rows;

  private final ConversionPlan plan;
  private long list;

  Marked(ConversionPlan plan, RowBits rows) {
    this.plan = plan;
    this.rows = rows;
  }

  /** Returns the address of the positions, which begin at 0. */
  long list() {
    if (list == 0) list = written();
    return list;
  }

  private long written() {
    long to = plan.list(rows.count);
    long next = to;
    for (int word = 0; word < rows.size(); word++) {
      long first = (long) word * Long.SIZE;
      for (long bits = rows.word(word); bits != 0; bits &= bits - 1) {
        NativeHeap.putLong(next, first + Long.numberOfTrailingZeros(bits));
        next += Long.BYTES;
      }
    }
    return to;
  }

  /** Copies values; {@code from} is the address of the value of row 0. */
  void copy(long from, long width, long to) {
    long next = to;
    for (int word = 0; word < rows.size();) {
      long bits = rows.word(word);
      long first = from + width * Long.SIZE * word;
      if (bits == -1) {
        int end = word + 1;
        while (end < rows.size() && rows.word(end) == -1) end++;
        long bytes = width * Long.SIZE * (end - word);
        NativeHeap.copy(first, next, bytes);
        next += bytes;
        word = end;
        continue;
      }
      word++;
      if (Long.bitCount(bits) > DENSE) {
        next = copyRuns(bits, first, width, next);
      } else if (bits != 0) {
        next = copyEach(bits, first, width, next);
      }
    }
  }

  private static long copyRuns(long bits, long first, long width, long to) {
    long next = to;
    long left = bits;
    while (left != 0) {
      int begin = Long.numberOfTrailingZeros(left);
      int count = Long.numberOfTrailingZeros(~(left >>> begin));
      copyRange(first + width * begin, next, width * count);
      next += width * count;
      int end = begin + count;
      left = end == Long.SIZE ? 0 : left & (-1L << end);
    }
    return next;
  }

  private static void copyRange(long from, long to, long bytes) {
    if (bytes > SHORT) {
      NativeHeap.copy(from, to, bytes);
      return;
    }
    long i = 0;
    for (; i + Long.BYTES <= bytes; i += Long.BYTES) NativeHeap.putLong(to + i, NativeHeap.getLong(from + i));
    for (; i < bytes; i++) NativeHeap.putByte(to + i, NativeHeap.getByte(from + i));
  }

  /** Copies the values of single rows, in one loop for each width. */
  private static long copyEach(long bits, long first, long width, long to) {
    long next = to;
    switch ((int) width) {
      case 1 -> {
        for (long left = bits; left != 0; left &= left - 1, next++)
          NativeHeap.putByte(next, NativeHeap.getByte(first + Long.numberOfTrailingZeros(left)));
      }
      case 2 -> {
        for (long left = bits; left != 0; left &= left - 1, next += 2)
          NativeHeap.putShort(next, NativeHeap.getShort(first + 2L * Long.numberOfTrailingZeros(left)));
      }
      case 4 -> {
        for (long left = bits; left != 0; left &= left - 1, next += 4)
          NativeHeap.putInt(next, NativeHeap.getInt(first + 4L * Long.numberOfTrailingZeros(left)));
      }
      case 8 -> {
        for (long left = bits; left != 0; left &= left - 1, next += 8)
          NativeHeap.putLong(next, NativeHeap.getLong(first + 8L * Long.numberOfTrailingZeros(left)));
      }
      case 16 -> {
        for (long left = bits; left != 0; left &= left - 1, next += 16) {
          long at = first + 16L * Long.numberOfTrailingZeros(left);
          NativeHeap.putLong(next, NativeHeap.getLong(at));
          NativeHeap.putLong(next + 8, NativeHeap.getLong(at + 8));
        }
      }
      default -> {
        for (long left = bits; left != 0; left &= left - 1, next += width)
          copyRange(first + width * Long.numberOfTrailingZeros(left), next, width);
      }
    }
    return next;
  }

  /** Copies bits, and clears the rest of the last byte; {@code first} is the bit of row 0. */
  void copyBits(long from, long first, long to) {
    long next = to;
    long collected = 0;
    int filled = 0;
    for (int word = 0; word < rows.size(); word++) {
      long bits = rows.word(word);
      if (bits == 0) continue;
      long packed = Long.compress(source(from, first, word), bits);
      int count = Long.bitCount(bits);
      collected |= packed << filled;
      filled += count;
      if (filled < Long.SIZE) continue;
      NativeHeap.putLong(next, collected);
      next += Long.BYTES;
      filled -= Long.SIZE;
      collected = filled == 0 ? 0 : packed >>> (count - filled);
    }
    for (; filled > 0; filled -= Byte.SIZE, collected >>>= Byte.SIZE) NativeHeap.putByte(next++, (byte) collected);
  }

  /** Returns the number of selected rows whose bit is set; {@code first} is the bit of row 0. */
  long countOnes(long bitmap, long first) {
    long ones = 0;
    for (int word = 0; word < rows.size(); word++) {
      long bits = rows.word(word);
      if (bits != 0) ones += Long.bitCount(source(bitmap, first, word) & bits);
    }
    return ones;
  }

  private long source(long bitmap, long first, int word) {
    long at = (long) word * Long.SIZE;
    long left = rows.length - at;
    return left < Long.SIZE ? Bitmaps.word(bitmap, first + at, (int) left) : Bitmaps.word(bitmap, first + at);
  }
}
