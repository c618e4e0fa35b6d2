// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.columns;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.read.ColumnImpl;
import org.arbalest.device.internal.read.Stored;

/**
 * A view of 16-bit integers: int16, and uint16 as its bits, see {@link Short#toUnsignedInt}.
 *
 * <p>{@link ColumnView} describes use, threads and errors.
 */
public final class ShortView extends ColumnView {
  private final long address;

  ShortView(ColumnImpl column) {
    super(column);
    this.address = Stored.SHORTS.address(column);
  }

  /** Returns the value of a row that is not null. */
  public short get(long row) {
    check(row);
    return NativeHeap.getShort(address + 2 * row);
  }

  /** Returns the value of a row, or {@code ifNull} for a null. */
  public short getOrDefault(long row, short ifNull) {
    return isNull(row) ? ifNull : NativeHeap.getShort(address + 2 * row);
  }

  /**
   * Returns all values.
   *
   * @throws java.util.NoSuchElementException if a row is null; the message has the row
   */
  public short[] toArray() {
    checkNoNulls();
    return copy();
  }

  /** Returns all values, with {@code ifNull} in place of nulls. */
  public short[] toArray(short ifNull) {
    short[] values = copy();
    for (long row = nextNull(0); row < length; row = nextNull(row + 1)) values[(int) row] = ifNull;
    return values;
  }

  private short[] copy() {
    short[] values = new short[arraySize()];
    NativeHeap.copy(NativeHeap.segment(address, 2L * values.length), MemorySegment.ofArray(values));
    return values;
  }
}
