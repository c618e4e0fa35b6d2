// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.columns;

import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.read.ColumnImpl;
import org.arbalest.device.internal.read.Stored;

/**
 * A view of 16-bit floating-point numbers, each converted exactly to a {@code float}.
 *
 * <p>{@link ColumnView} describes use, threads and errors.
 */
public final class HalfFloatView extends ColumnView {
  private final long address;

  HalfFloatView(ColumnImpl column) {
    super(column);
    this.address = Stored.HALF_FLOATS.address(column);
  }

  /** Returns the value of a row that is not null. */
  public float get(long row) {
    check(row);
    return Float.float16ToFloat(NativeHeap.getShort(address + 2 * row));
  }

  /** Returns the value of a row, or {@code ifNull} for a null. */
  public float getOrDefault(long row, float ifNull) {
    return isNull(row) ? ifNull : Float.float16ToFloat(NativeHeap.getShort(address + 2 * row));
  }

  /**
   * Returns all values.
   *
   * @throws java.util.NoSuchElementException if a row is null; the message has the row
   */
  public float[] toArray() {
    checkNoNulls();
    return copy();
  }

  /** Returns all values, with {@code ifNull} in place of nulls. */
  public float[] toArray(float ifNull) {
    float[] values = copy();
    for (long row = nextNull(0); row < length; row = nextNull(row + 1)) values[(int) row] = ifNull;
    return values;
  }

  private float[] copy() {
    float[] values = new float[arraySize()];
    for (int row = 0; row < values.length; row++)
      values[row] = Float.float16ToFloat(NativeHeap.getShort(address + 2L * row));
    return values;
  }
}
