// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.columns;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.read.ColumnImpl;
import org.arbalest.device.internal.read.Stored;

/**
 * A view of 64-bit floating-point numbers.
 *
 * <p>{@link ColumnView} describes use, threads and errors.
 */
public final class DoubleView extends ColumnView {
  private final long address;

  DoubleView(ColumnImpl column) {
    super(column);
    this.address = Stored.DOUBLES.address(column);
  }

  /** Returns the value of a row that is not null. */
  public double get(long row) {
    check(row);
    return Double.longBitsToDouble(NativeHeap.getLong(address + 8 * row));
  }

  /** Returns the value of a row, or {@code ifNull} for a null. */
  public double getOrDefault(long row, double ifNull) {
    return isNull(row) ? ifNull : Double.longBitsToDouble(NativeHeap.getLong(address + 8 * row));
  }

  /**
   * Returns all values.
   *
   * @throws java.util.NoSuchElementException if a row is null; the message has the row
   */
  public double[] toArray() {
    checkNoNulls();
    return copy();
  }

  /** Returns all values, with {@code ifNull} in place of nulls. */
  public double[] toArray(double ifNull) {
    double[] values = copy();
    for (long row = nextNull(0); row < length; row = nextNull(row + 1)) values[(int) row] = ifNull;
    return values;
  }

  private double[] copy() {
    double[] values = new double[arraySize()];
    NativeHeap.copy(NativeHeap.segment(address, 8L * values.length), MemorySegment.ofArray(values));
    return values;
  }
}
