// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

import java.util.Arrays;
import java.util.Objects;

/**
 * A description of an array in foreign memory: the contents of its structs, as numbers. {@link ArrayBridge#wrap} reads
 * it and does not keep it.
 *
 * <p>Write it in the order of the field, depth first: an {@link #array}, each of its {@linkplain #buffer buffers}, then
 * each child in the same way, and last its dictionary. One object serves many arrays, with {@link #clear} in between,
 * and creates no garbage. Not thread-safe.
 */
public final class ForeignArray {
  /** The words for the length, the null count, the offset and the number of buffers of an array. */
  private static final int HEAD = 4;

  private long[] words = new long[64];
  private int end;
  private int head;
  private int arrays;
  private int buffers;

  /** Creates an empty description. */
  public ForeignArray() {}

  /** Deletes the contents, and returns this object. */
  public ForeignArray clear() {
    end = 0;
    arrays = 0;
    buffers = 0;
    return this;
  }

  /**
   * Adds an array, and returns this object. Its buffers follow.
   *
   * @param length the number of elements
   * @param nullCount the number of nulls, or −1 if it is unknown
   * @param offset the number of elements to skip at the start of the buffers
   */
  public ForeignArray array(long length, long nullCount, long offset) {
    if (end + HEAD > words.length) words = Arrays.copyOf(words, 2 * words.length);
    head = end;
    words[end] = length;
    words[end + 1] = nullCount;
    words[end + 2] = offset;
    words[end + 3] = 0;
    end += HEAD;
    arrays++;
    return this;
  }

  /**
   * Adds the next buffer of the last array, and returns this object. The order is that of the columnar format. The
   * buffer of sizes that the C interface adds to a view array is omitted.
   *
   * @param address the address for the device; 0 for an absent buffer, such as the validity bitmap of an array without
   *     nulls
   * @param bytes the size in bytes; it may exceed the size that the array needs
   * @throws IllegalStateException if no array was added
   */
  public ForeignArray buffer(long address, long bytes) {
    if (arrays == 0) throw new IllegalStateException("a buffer without an array");
    if (end + 2 > words.length) words = Arrays.copyOf(words, 2 * words.length);
    words[end] = address;
    words[end + 1] = bytes;
    words[head + 3]++;
    end += 2;
    buffers++;
    return this;
  }

  /** Returns the number of arrays: the first one, children and dictionaries. */
  public int arrays() {
    return arrays;
  }

  /** Returns the number of buffers of all arrays. */
  public int buffers() {
    return buffers;
  }

  /** Returns the number of words in the description. */
  public int words() {
    return end;
  }

  /**
   * Returns a word. Each array has its length, null count, offset and number of buffers; then follow the address and
   * the size of each buffer.
   */
  public long word(int index) {
    return words[Objects.checkIndex(index, end)];
  }
}
