// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.convert;

import org.arbalest.device.internal.memory.Bitmaps;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.memory.RowBits;

/**
 * The rows that a filter keeps. Values of a fixed width and bits are copied by the words of the selection. Other values
 * need the list of positions, which is written when it is first used.
 */
final class Marked {
  /** With more rows of 64, runs of rows are copied instead of single rows. */
  private static final int DENSE = 60;

  /** Ranges up to this size in bytes are copied word by word. */
  private static final long SHORT = 128;

  final RowBits rows;

  /** Whether a position of the list is an int, and not a long. */
  final boolean areInts;

  private final ConversionPlan plan;
  private long list;

  Marked(ConversionPlan plan, RowBits rows) {
    this.plan = plan;
    this.rows = rows;
    this.areInts = rows.length <= Integer.MAX_VALUE;
  }

  /** Returns the address of the positions, which begin at 0. */
  long list() {
    if (list == 0) list = written();
    return list;
  }

  private long written() {
    long to = areInts ? plan.temporary(Integer.BYTES * rows.count) : plan.list(rows.count);
    long[] words = rows.words;
    long k = 0;
    for (int word = 0; word < words.length; word++) {
      long first = (long) word * Long.SIZE;
      for (long bits = words[word]; bits != 0; bits &= bits - 1, k++)
        Rows.putPosition(to, areInts, k, first + Long.numberOfTrailingZeros(bits));
    }
    return to;
  }

  /** Copies values; {@code from} is the address of the value of row 0. One loop for each width. */
  void copy(long from, long width, long to) {
    switch ((int) width) {
      case 1 -> copyBytes(from, to);
      case 2 -> copyShorts(from, to);
      case 4 -> copyInts(from, to);
      case 8 -> copyLongs(from, to);
      case 16 -> copyPairs(from, to);
      default -> copyValues(from, width, to);
    }
  }

  private void copyBytes(long from, long to) {
    long next = to;
    long[] words = rows.words;
    for (int word = 0; word < words.length; word++) {
      long bits = words[word];
      if (bits == 0) continue;
      long first = from + 64L * word;
      if (Long.bitCount(bits) > DENSE) {
        next = copyRuns(bits, first, 1, next);
        continue;
      }
      for (; bits != 0; bits &= bits - 1, next++)
        NativeHeap.putByte(next, NativeHeap.getByte(first + Long.numberOfTrailingZeros(bits)));
    }
  }

  private void copyShorts(long from, long to) {
    long next = to;
    long[] words = rows.words;
    for (int word = 0; word < words.length; word++) {
      long bits = words[word];
      if (bits == 0) continue;
      long first = from + 2 * (64L * word);
      if (Long.bitCount(bits) > DENSE) {
        next = copyRuns(bits, first, 2, next);
        continue;
      }
      for (; bits != 0; bits &= bits - 1, next += 2)
        NativeHeap.putShort(next, NativeHeap.getShort(first + 2L * Long.numberOfTrailingZeros(bits)));
    }
  }

  private void copyInts(long from, long to) {
    long next = to;
    long[] words = rows.words;
    for (int word = 0; word < words.length; word++) {
      long bits = words[word];
      if (bits == 0) continue;
      long first = from + 4 * (64L * word);
      if (Long.bitCount(bits) > DENSE) {
        next = copyRuns(bits, first, 4, next);
        continue;
      }
      for (; bits != 0; bits &= bits - 1, next += 4)
        NativeHeap.putInt(next, NativeHeap.getInt(first + 4L * Long.numberOfTrailingZeros(bits)));
    }
  }

  private void copyLongs(long from, long to) {
    long next = to;
    long[] words = rows.words;
    for (int word = 0; word < words.length; word++) {
      long bits = words[word];
      if (bits == 0) continue;
      long first = from + 8 * (64L * word);
      if (Long.bitCount(bits) > DENSE) {
        next = copyRuns(bits, first, 8, next);
        continue;
      }
      for (; bits != 0; bits &= bits - 1, next += 8)
        NativeHeap.putLong(next, NativeHeap.getLong(first + 8L * Long.numberOfTrailingZeros(bits)));
    }
  }

  private void copyPairs(long from, long to) {
    long next = to;
    long[] words = rows.words;
    for (int word = 0; word < words.length; word++) {
      long bits = words[word];
      if (bits == 0) continue;
      long first = from + 16 * (64L * word);
      if (Long.bitCount(bits) > DENSE) {
        next = copyRuns(bits, first, 16, next);
        continue;
      }
      for (; bits != 0; bits &= bits - 1, next += 16) {
        long at = first + 16L * Long.numberOfTrailingZeros(bits);
        NativeHeap.putLong(next, NativeHeap.getLong(at));
        NativeHeap.putLong(next + 8, NativeHeap.getLong(at + 8));
      }
    }
  }

  private void copyValues(long from, long width, long to) {
    long next = to;
    long[] words = rows.words;
    for (int word = 0; word < words.length; word++) {
      long bits = words[word];
      if (bits == 0) continue;
      long first = from + width * (64L * word);
      if (Long.bitCount(bits) > DENSE) {
        next = copyRuns(bits, first, width, next);
        continue;
      }
      for (; bits != 0; bits &= bits - 1, next += width)
        copyRange(first + width * Long.numberOfTrailingZeros(bits), next, width);
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

  /** Copies bits, and clears the rest of the last byte; {@code first} is the bit of row 0. */
  void copyBits(long from, long first, long to) {
    long next = to;
    long collected = 0;
    int filled = 0;
    for (int word = 0; word < rows.words.length; word++) {
      long bits = rows.words[word];
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

  private long source(long bitmap, long first, int word) {
    long at = (long) word * Long.SIZE;
    long left = rows.length - at;
    return left < Long.SIZE ? Bitmaps.word(bitmap, first + at, (int) left) : Bitmaps.word(bitmap, first + at);
  }
}
