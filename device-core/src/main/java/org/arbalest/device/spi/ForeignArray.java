// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

import java.util.Arrays;
import java.util.Objects;

/**
 * What the structs of an array say whose memory somebody else holds, as numbers: for {@link ArrayBridge#wrap}, which
 * looks at it and takes nothing of it over.
 *
 * <p>Written in the order of the field, depth first: an {@link #array}, each of its {@linkplain #buffer buffers}, then
 * likewise each child, and last its dictionary. One may be used again and again, after {@link #clear}, without garbage.
 * For one thread at a time.
 */
public final class ForeignArray {
  /** An array's length, its null count, its offset, the number of its buffers. */
  private static final int HEAD = 4;

  private long[] words = new long[64];
  private int end;
  private int head;
  private int arrays;
  private int buffers;

  /** One that says nothing yet. */
  public ForeignArray() {}

  /** Forgets what was written. */
  public ForeignArray clear() {
    end = 0;
    arrays = 0;
    buffers = 0;
    return this;
  }

  /**
   * An array, whose buffers follow.
   *
   * @param length the number of elements
   * @param nullCount the number of nulls, or −1 if it is not known
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
   * The next buffer of the array that was written last, in the columnar format's order; without the list of sizes that
   * a view array carries in the C interface.
   *
   * @param address where it is, for the device; 0 if there is none, as of a validity bitmap without nulls
   * @param bytes how many there are: more than the array needs is no matter
   * @throws IllegalStateException if there is no array yet
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

  /** How many arrays there are, the first one, children and dictionaries. */
  public int arrays() {
    return arrays;
  }

  /** How many buffers all arrays have together. */
  public int buffers() {
    return buffers;
  }

  /** How many numbers all was written as. */
  public int words() {
    return end;
  }

  /**
   * A number: of each array its length, null count, offset and number of buffers, and of each of these its address and
   * its size.
   */
  public long word(int index) {
    return words[Objects.checkIndex(index, end)];
  }
}
