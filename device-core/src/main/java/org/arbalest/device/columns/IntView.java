// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.columns;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.read.ColumnImpl;
import org.arbalest.device.internal.read.Stored;

/**
 * A view of 32-bit integers and of types stored in them: int32, uint32 (as its bits, see
 * {@link Integer#toUnsignedLong}), date32, time32, intervals of months, and the unscaled number of decimal32.
 *
 * <p>{@link ColumnView} describes use, threads and errors.
 */
public final class IntView extends ColumnView {
  private final long address;

  IntView(ColumnImpl column) {
    super(column);
    this.address = Stored.INTS.address(column);
  }

  /** Returns the value of a row that is not null. */
  public int get(long row) {
    check(row);
    return NativeHeap.getInt(address + 4 * row);
  }

  /** Returns the value of a row, or {@code ifNull} for a null. */
  public int getOrDefault(long row, int ifNull) {
    return isNull(row) ? ifNull : NativeHeap.getInt(address + 4 * row);
  }

  /**
   * Returns all values.
   *
   * @throws java.util.NoSuchElementException if a row is null; the message has the row
   */
  public int[] toArray() {
    checkNoNulls();
    return copy();
  }

  /** Returns all values, with {@code ifNull} in place of nulls. */
  public int[] toArray(int ifNull) {
    int[] values = copy();
    for (long row = nextNull(0); row < length; row = nextNull(row + 1)) values[(int) row] = ifNull;
    return values;
  }

  private int[] copy() {
    int[] values = new int[arraySize()];
    NativeHeap.copy(NativeHeap.segment(address, 4L * values.length), MemorySegment.ofArray(values));
    return values;
  }
}
