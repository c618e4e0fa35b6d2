// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.columns;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.read.ColumnImpl;
import org.arbalest.device.internal.read.Stored;

/**
 * A view of 32-bit floating-point numbers. For 16 bits, use {@link HalfFloatView}.
 *
 * <p>{@link ColumnView} describes use, threads and errors.
 */
public final class FloatView extends ColumnView {
  private final long address;

  FloatView(ColumnImpl column) {
    super(column);
    this.address = Stored.FLOATS.address(column);
  }

  /** Returns the value of a row that is not null. */
  public float get(long row) {
    check(row);
    return Float.intBitsToFloat(NativeHeap.getInt(address + 4 * row));
  }

  /** Returns the value of a row, or {@code ifNull} for a null. */
  public float getOrDefault(long row, float ifNull) {
    return isNull(row) ? ifNull : Float.intBitsToFloat(NativeHeap.getInt(address + 4 * row));
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
    NativeHeap.copy(NativeHeap.segment(address, 4L * values.length), MemorySegment.ofArray(values));
    return values;
  }
}
