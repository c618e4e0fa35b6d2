// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.internal.memory.Bitmaps;
import org.arbalest.device.internal.memory.NativeHeap;
import org.jspecify.annotations.Nullable;

/**
 * A validity bitmap that comes into being with the first null, and is written word by word: the bits of the last one
 * are kept here.
 *
 * <p>Values of 64 bits are appended without a word to this, so that nothing else is written for each: those that were
 * appended since are valid, and are counted when somebody asks, or the next null comes.
 *
 * <p>What appends one element is no longer than what C2 inlines wherever it is called (35 bytes of code).
 */
final class ValidityBuilder {
  private final BuildMemory memory;

  /** The values, if they are of 64 bits and say how many elements there are. */
  private final @Nullable GrowableBuffer values;

  /** All whole words. */
  private @Nullable GrowableBuffer bitmap;

  /** The bits behind them, up to the next one. */
  private long word;

  /** The bit of the next element. */
  private long next = 1;

  /** The number of elements in whole words, and of the nulls among them. */
  private long whole;

  private long nulls;

  ValidityBuilder(BuildMemory memory, @Nullable GrowableBuffer values) {
    this.memory = memory;
    this.values = values;
  }

  long length() {
    count();
    return counted();
  }

  private void count() {
    if (values != null) countTo(values.size() >>> 3);
  }

  private long counted() {
    return whole + Long.numberOfTrailingZeros(next);
  }

  /** Counts the values up to some length, which are valid. */
  private void countTo(long length) {
    long count = length - counted();
    if (count > 0) fillBits(count);
  }

  long nullCount() {
    return nulls + Long.bitCount(~word & (next - 1));
  }

  void appendValid() {
    word |= next;
    if ((next <<= 1) == 0) endWord();
  }

  void appendNull() {
    if (bitmap == null) begin();
    if ((next <<= 1) == 0) endWord();
  }

  /** The same for several; of values that count themselves, the last ones. */
  void appendNulls(long count) {
    if (values != null) countTo((values.size() >>> 3) - count);
    if (bitmap == null) begin();
    long room = Long.numberOfLeadingZeros(next) + 1L;
    if (count < room) {
      next <<= count;
      return;
    }
    endWord();
    long rest = count - room;
    GrowableBuffer words = bitmap;
    if (words != null) words.extendWithZeroes(rest >>> 6 << 3);
    nulls += rest & -64;
    whole += rest & -64;
    next = 1L << rest;
  }

  /** Makes the last of the values, which is not counted yet, null. */
  void appendNullTo(GrowableBuffer appended) {
    countTo((appended.size() >>> 3) - 1);
    appendNull();
  }

  /** The same as {@link #appendValid()} for several, or for values that count themselves. */
  void appendValid(long count) {
    if (values == null) fillBits(count);
  }

  private void fillBits(long count) {
    long room = Long.numberOfLeadingZeros(next) + 1L;
    if (count < room) {
      word |= ((1L << count) - 1) * next;
      next <<= count;
      return;
    }
    word |= -next;
    endWord();
    long rest = count - room;
    GrowableBuffer words = bitmap;
    if (words != null) fill(words, rest >>> 6);
    whole += rest & -64;
    next = 1L << rest;
    word = next - 1;
  }

  private void endWord() {
    if (bitmap != null) bitmap.putLong(word);
    nulls += Long.SIZE - Long.bitCount(word);
    whole += Long.SIZE;
    word = 0;
    next = 1;
  }

  private void begin() {
    GrowableBuffer words = new GrowableBuffer(memory, (counted() + 7) >>> 3);
    fill(words, whole >>> 6);
    bitmap = words;
  }

  private static void fill(GrowableBuffer words, long count) {
    NativeHeap.fill(words.extend(count * Long.BYTES), count * Long.BYTES, (byte) -1);
  }

  boolean isNull(long index) {
    if (bitmap == null) return false;
    count();
    return index >= whole ? (word >>> index & 1) == 0 : !Bitmaps.get(bitmap.address(), index);
  }

  /**
   * Makes elements null, by the bits of their positions, from a multiple of 64 on, which are within {@link #length}.
   */
  void setNulls(long first, long[] positions) {
    for (int i = 0; i < positions.length; i++) {
      if (positions[i] != 0) setNulls(first + i * (long) Long.SIZE, positions[i]);
    }
  }

  private void setNulls(long first, long bits) {
    if (bitmap == null) begin();
    GrowableBuffer words = bitmap;
    if (first >= whole) {
      word &= ~bits;
    } else if (words != null) {
      long at = words.address() + (first >>> 3);
      long valid = NativeHeap.getLong(at);
      nulls += Long.bitCount(valid & bits);
      NativeHeap.putLong(at, valid & ~bits);
    }
  }

  /** Forgets the elements from some one on. */
  void truncate(long length) {
    if (length >= length()) return;
    GrowableBuffer words = bitmap;
    if (length < whole) {
      long last = -1; // without a bitmap all are valid
      if (words != null) {
        nulls -= whole - (length & -64) - Bitmaps.countOnes(words.address(), length & -64, whole - (length & -64));
        last = NativeHeap.getLong(words.address() + (length >>> 6) * Long.BYTES);
        words.truncate((length >>> 6) * Long.BYTES);
      }
      whole = length & -64;
      word = last;
    }
    next = 1L << length;
    word &= next - 1;
  }

  /** The bitmap, or null if there are no nulls. */
  @Nullable
  DeviceBuffer take() {
    GrowableBuffer words = bitmap;
    if (words == null) return null;
    count();
    long size = words.size();
    words.putLong(word);
    DeviceBuffer taken = words.take();
    words.truncate(size); // the batch may still be refused, and this go on
    return taken;
  }
}
