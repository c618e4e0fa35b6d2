// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.columns;

import org.arbalest.device.internal.memory.Bitmaps;
import org.arbalest.device.internal.read.ColumnImpl;
import org.arbalest.device.internal.read.Stored;

/**
 * A view of booleans of one bit each, row by row or 64 rows at a time.
 *
 * <p>{@link ColumnView} describes use, threads and errors.
 */
public final class BooleanView extends ColumnView {
  private final long bitmap;

  BooleanView(ColumnImpl column) {
    super(column);
    this.bitmap = Stored.BOOLEANS.buffer(column);
  }

  /** Returns the value of a row that is not null. */
  public boolean get(long row) {
    check(row);
    return Bitmaps.get(bitmap, offset + row);
  }

  /** Returns the value of a row, or {@code ifNull} for a null. */
  public boolean getOrDefault(long row, boolean ifNull) {
    return isNull(row) ? ifNull : Bitmaps.get(bitmap, offset + row);
  }

  /**
   * Returns the bits of 64 rows, from a row on: a set bit for a row that is true. The first row is the lowest bit.
   * Nulls and rows beyond the last have no set bit.
   */
  public long trueBits(long row) {
    long valid = validBits(row);
    return valid & word(bitmap, row);
  }

  /** Returns the number of rows that are true, without nulls. */
  public long cardinality() {
    long count = 0;
    for (long row = 0; row < length; row += Long.SIZE) count += Long.bitCount(trueBits(row));
    return count;
  }

  /**
   * Returns the first true row from a row on, or −1 if no such row exists.
   *
   * @param from the first row to check; it may be the row after the last
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
   * Returns all values.
   *
   * @throws java.util.NoSuchElementException if a row is null; the message has the row
   */
  public boolean[] toArray() {
    boolean[] values = new boolean[arraySize()];
    checkNoNulls();
    for (int row = 0; row < values.length; row++) values[row] = Bitmaps.get(bitmap, offset + row);
    return values;
  }

  /** Returns all values, with {@code ifNull} in place of nulls. */
  public boolean[] toArray(boolean ifNull) {
    boolean[] values = new boolean[arraySize()];
    for (int row = 0; row < values.length; row++) values[row] = getOrDefault(row, ifNull);
    return values;
  }
}
