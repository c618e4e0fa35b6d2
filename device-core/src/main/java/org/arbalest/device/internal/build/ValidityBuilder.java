// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.internal.memory.Bitmaps;
import org.arbalest.device.internal.memory.NativeHeap;
import org.jspecify.annotations.Nullable;

/**
 * A validity bitmap, which is created with the first null and written word by word. The bits of the last word stay in a
 * field.
 *
 * <p>A 64-bit value is appended without a call to this class, so that each append is one write. The values appended
 * since the last count are valid. They are counted when a caller asks for the length, or before the next null.
 *
 * <p>The methods that append one element are at most 35 bytes of bytecode, the limit up to which C2 inlines a method at
 * every call.
 */
final class ValidityBuilder {
  private final BuildMemory memory;

  /** The values, if they have 64 bits each, so that their size gives the number of elements. */
  private final @Nullable GrowableBuffer values;

  /** All complete words. */
  private @Nullable GrowableBuffer bitmap;

  /** The bits of the incomplete last word. */
  private long word;

  /** The bit of the next element. */
  private long next = 1;

  /** The number of elements in complete words; {@link #nulls} counts the nulls among them. */
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

  /** Counts the values up to index {@code length}, which are valid. */
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

  /**
   * Appends several nulls. If 64-bit values are counted by their size, the last {@code count} of them are these nulls.
   */
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

  /** Makes the last value null, which is not counted yet. */
  void appendNullTo(GrowableBuffer appended) {
    countTo((appended.size() >>> 3) - 1);
    appendNull();
  }

  /**
   * Appends several valid elements, like {@link #appendValid()}. Does nothing if 64-bit values are counted by their
   * size.
   */
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
   * Makes elements null. Each set bit in {@code positions} is one of them; the first bit is element {@code first}, a
   * multiple of 64. All are less than {@link #length}.
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

  /** Removes the elements from index {@code length} on. */
  void truncate(long length) {
    if (length >= length()) return;
    GrowableBuffer words = bitmap;
    if (length < whole) {
      long last = -1; // without a bitmap all elements are valid
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

  /** Returns the bitmap, or null if no element is null. */
  @Nullable
  DeviceBuffer take() {
    GrowableBuffer words = bitmap;
    if (words == null) return null;
    count();
    long size = words.size();
    words.putLong(word);
    DeviceBuffer taken = words.take();
    words.truncate(size); // the batch may still be rejected, and this builder continues then
    return taken;
  }
}
