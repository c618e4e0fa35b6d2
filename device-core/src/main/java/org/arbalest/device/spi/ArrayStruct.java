// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

import java.util.Objects;
import org.arbalest.device.internal.abi.RawArrowArray;

/**
 * A view of an {@code ArrowArray} struct, for bridges to other libraries: numbers, and addresses of buffers on the
 * array's device.
 *
 * <p>A view is borrowed: it is valid while the handle that returned it is open.
 */
public final class ArrayStruct {
  private final long address;

  ArrayStruct(long address) {
    this.address = address;
  }

  /** Returns the number of elements. */
  public long length() {
    return RawArrowArray.length(address);
  }

  /** Returns the number of nulls, or -1 if it was not computed. */
  public long nullCount() {
    return RawArrowArray.nullCount(address);
  }

  /** Returns the number of elements to skip at the start of the buffers. */
  public long offset() {
    return RawArrowArray.offset(address);
  }

  /** Returns the number of buffers. */
  public int bufferCount() {
    return (int) RawArrowArray.nBuffers(address);
  }

  /** Returns the address of a buffer, or 0 for an absent buffer. */
  public long buffer(int index) {
    return RawArrowArray.buffer(address, Objects.checkIndex(index, bufferCount()));
  }

  /** Returns the number of children. */
  public int childCount() {
    return (int) RawArrowArray.nChildren(address);
  }

  /** Returns a child. */
  public ArrayStruct child(int index) {
    return new ArrayStruct(RawArrowArray.child(address, Objects.checkIndex(index, childCount())));
  }

  /** Returns whether the array is dictionary-encoded. */
  public boolean hasDictionary() {
    return RawArrowArray.dictionary(address) != 0;
  }

  /**
   * Returns the dictionary's values.
   *
   * @throws IllegalStateException if the array has no dictionary
   */
  public ArrayStruct dictionary() {
    long values = RawArrowArray.dictionary(address);
    if (values == 0) throw new IllegalStateException("the array has no dictionary");
    return new ArrayStruct(values);
  }

  /** Returns whether the other object is a view of the same struct, at the same address. */
  @Override
  public boolean equals(Object other) {
    return other instanceof ArrayStruct that && address == that.address;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(address);
  }
}
