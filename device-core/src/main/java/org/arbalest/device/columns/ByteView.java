// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.columns;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.read.ColumnImpl;
import org.arbalest.device.internal.read.Stored;

/**
 * A view of 8-bit integers: int8, and uint8 as its bits, see {@link Byte#toUnsignedInt}. For binary, use
 * {@link ByteStringView}.
 *
 * <p>{@link ColumnView} describes use, threads and errors.
 */
public final class ByteView extends ColumnView {
  private final long address;

  ByteView(ColumnImpl column) {
    super(column);
    this.address = Stored.BYTES.address(column);
  }

  /** Returns the value of a row that is not null. */
  public byte get(long row) {
    check(row);
    return NativeHeap.getByte(address + row);
  }

  /** Returns the value of a row, or {@code ifNull} for a null. */
  public byte getOrDefault(long row, byte ifNull) {
    return isNull(row) ? ifNull : NativeHeap.getByte(address + row);
  }

  /**
   * Returns all values.
   *
   * @throws java.util.NoSuchElementException if a row is null; the message has the row
   */
  public byte[] toArray() {
    checkNoNulls();
    return copy();
  }

  /** Returns all values, with {@code ifNull} in place of nulls. */
  public byte[] toArray(byte ifNull) {
    byte[] values = copy();
    for (long row = nextNull(0); row < length; row = nextNull(row + 1)) values[(int) row] = ifNull;
    return values;
  }

  private byte[] copy() {
    byte[] values = new byte[arraySize()];
    NativeHeap.copy(NativeHeap.segment(address, 1L * values.length), MemorySegment.ofArray(values));
    return values;
  }
}
