// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.memory;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** One bit for each row of an array. It is immutable, and needs no release. */
public final class RowBits {
  /** The number of rows. */
  public final long length;

  /** The number of rows whose bit is set. */
  public final long count;

  /**
   * The bits, 64 rows in a word, the first row in the lowest bit. The bits after the last row are zero. Other classes
   * must not change them.
   */
  public final long[] words;

  /** Takes over the words. Their bits after the last row may be anything. */
  public RowBits(long length, long[] words) {
    this.length = length;
    this.words = words;
    int tail = (int) (length & (Long.SIZE - 1));
    if (tail != 0) words[words.length - 1] &= (1L << tail) - 1;
    long ones = 0;
    for (long word : words) ones += Long.bitCount(word);
    this.count = ones;
  }

  /** Returns an array of words for a number of rows. Throws if no Java array has as many. */
  public static long[] words(long length) {
    if (length < 0) throw new IllegalArgumentException("a selection cannot have " + length + " rows");
    long words = (length >>> 6) + ((length & (Long.SIZE - 1)) == 0 ? 0 : 1);
    if (words > Integer.MAX_VALUE - 8)
      throw new IllegalArgumentException("a selection of " + length + " rows does not fit a Java array: slice first");
    return new long[(int) words];
  }

  /** Returns the bit of a row, which must exist. */
  public boolean get(long row) {
    return (words[(int) (row >>> 6)] >>> row & 1) != 0;
  }

  /** Returns the bits of 64 rows, from a row on, which must exist. Rows beyond the last have no set bit. */
  public long bits(long row) {
    int word = (int) (row >>> 6);
    int shift = (int) (row & (Long.SIZE - 1));
    long low = words[word] >>> shift;
    return shift == 0 || word + 1 == words.length ? low : low | words[word + 1] << (Long.SIZE - shift);
  }

  /** Returns the first row whose bit is set, or 0 without one. */
  public long first() {
    for (int word = 0; word < words.length; word++) {
      if (words[word] != 0) return (long) word * Long.SIZE + Long.numberOfTrailingZeros(words[word]);
    }
    return 0;
  }

  /** Returns whether the rows with a set bit follow each other, without a gap. */
  public boolean isContiguous() {
    for (int word = words.length - 1; word >= 0; word--) {
      if (words[word] == 0) continue;
      long end = (long) word * Long.SIZE + Long.SIZE - Long.numberOfLeadingZeros(words[word]);
      return end - first() == count;
    }
    return true;
  }

  /** Returns the rows whose bit is set in both; the lengths are equal. */
  public RowBits and(RowBits other) {
    long[] result = words.clone();
    for (int word = 0; word < result.length; word++) result[word] &= other.words[word];
    return new RowBits(length, result);
  }

  /** Returns the rows whose bit is set in at least one; the lengths are equal. */
  public RowBits or(RowBits other) {
    long[] result = words.clone();
    for (int word = 0; word < result.length; word++) result[word] |= other.words[word];
    return new RowBits(length, result);
  }

  /** Returns the rows whose bit is not set. */
  public RowBits not() {
    long[] result = words.clone();
    for (int word = 0; word < result.length; word++) result[word] = ~result[word];
    return new RowBits(length, result);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof RowBits bits && bits.length == length && Arrays.equals(bits.words, words);
  }

  @Override
  public int hashCode() {
    return 31 * Long.hashCode(length) + Arrays.hashCode(words);
  }
}
