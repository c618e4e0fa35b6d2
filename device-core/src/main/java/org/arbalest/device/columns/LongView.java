// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.columns;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.read.ColumnImpl;
import org.arbalest.device.internal.read.Stored;

/**
 * A view of 64-bit integers and of types stored in them: int64, uint64 (as its bits, see
 * {@link Long#toUnsignedString(long)}), date64, time64, timestamps, durations, and the unscaled number of decimal64.
 *
 * <p>{@link ColumnView} describes use, threads and errors.
 */
public final class LongView extends ColumnView {
  private final long address;

  LongView(ColumnImpl column) {
    super(column);
    this.address = Stored.LONGS.address(column);
  }

  /** Returns the value of a row that is not null. */
  public long get(long row) {
    check(row);
    return NativeHeap.getLong(address + 8 * row);
  }

  /** Returns the value of a row, or {@code ifNull} for a null. */
  public long getOrDefault(long row, long ifNull) {
    return isNull(row) ? ifNull : NativeHeap.getLong(address + 8 * row);
  }

  /**
   * Returns all values.
   *
   * @throws java.util.NoSuchElementException if a row is null; the message has the row
   */
  public long[] toArray() {
    checkNoNulls();
    return copy();
  }

  /** Returns all values, with {@code ifNull} in place of nulls. */
  public long[] toArray(long ifNull) {
    long[] values = copy();
    for (long row = nextNull(0); row < length; row = nextNull(row + 1)) values[(int) row] = ifNull;
    return values;
  }

  private long[] copy() {
    long[] values = new long[arraySize()];
    NativeHeap.copy(NativeHeap.segment(address, 8L * values.length), MemorySegment.ofArray(values));
    return values;
  }
}
