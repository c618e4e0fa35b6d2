// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.columns;

import org.arbalest.device.internal.memory.Bitmaps;
import org.arbalest.device.internal.read.ColumnImpl;
import org.arbalest.device.internal.read.Stored;

/**
 * Booleans, one bit each, row by row or 64 at a time.
 *
 * <p>How it is used, and what it throws, is with {@link ColumnView}.
 */
public final class BooleanView extends ColumnView {
  private final long bitmap;

  BooleanView(ColumnImpl column) {
    super(column);
    this.bitmap = Stored.BOOLEANS.buffer(column);
  }

  /** The value of a row that is not null. */
  public boolean get(long row) {
    check(row);
    return Bitmaps.get(bitmap, offset + row);
  }

  /** The value of a row, or another for a null. */
  public boolean getOrDefault(long row, boolean ifNull) {
    return isNull(row) ? ifNull : Bitmaps.get(bitmap, offset + row);
  }

  /**
   * Which of the 64 rows from one on are true, the first in the lowest bit; neither nulls nor what is beyond the last
   * row.
   */
  public long trueBits(long row) {
    long valid = validBits(row);
    return valid & word(bitmap, row);
  }

  /** The number of rows that are true; nulls are not. */
  public long cardinality() {
    long count = 0;
    for (long row = 0; row < length; row += Long.SIZE) count += Long.bitCount(trueBits(row));
    return count;
  }

  /**
   * The first row that is true, from one on, or −1 if there is none.
   *
   * @param from may be the row behind the last
   */
  public long nextTrue(long from) {
    checkRow(from, length + 1);
    for (long row = from; row < length; row += Long.SIZE) {
      long bits = trueBits(row);
      if (bits != 0) return row + Long.numberOfTrailingZeros(bits);
    }
    return -1;
  }

  /**
   * All values.
   *
   * @throws java.util.NoSuchElementException if there is a null; says in which row
   */
  public boolean[] toArray() {
    boolean[] values = new boolean[arraySize()];
    checkNoNulls();
    for (int row = 0; row < values.length; row++) values[row] = Bitmaps.get(bitmap, offset + row);
    return values;
  }

  /** All values, another for the nulls. */
  public boolean[] toArray(boolean ifNull) {
    boolean[] values = new boolean[arraySize()];
    for (int row = 0; row < values.length; row++) values[row] = getOrDefault(row, ifNull);
    return values;
  }
}
