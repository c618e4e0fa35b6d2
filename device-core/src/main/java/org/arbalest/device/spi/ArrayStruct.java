// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

import java.util.Objects;
import org.arbalest.device.internal.abi.RawArrowArray;

/**
 * What an {@code ArrowArray} struct says, for bridges to other libraries: numbers, and the addresses of buffers, which
 * are the device's. Borrowed: to be used while the handle is open that it was asked of.
 */
public final class ArrayStruct {
  private final long address;

  ArrayStruct(long address) {
    this.address = address;
  }

  /** The number of elements. */
  public long length() {
    return RawArrowArray.length(address);
  }

  /** The number of nulls, or -1 if it was not computed. */
  public long nullCount() {
    return RawArrowArray.nullCount(address);
  }

  /** The number of elements to skip at the start of the buffers. */
  public long offset() {
    return RawArrowArray.offset(address);
  }

  /** How many buffers there are. */
  public int bufferCount() {
    return (int) RawArrowArray.nBuffers(address);
  }

  /** The address of a buffer; 0 if it is not there. */
  public long buffer(int index) {
    return RawArrowArray.buffer(address, Objects.checkIndex(index, bufferCount()));
  }

  /** How many children there are. */
  public int childCount() {
    return (int) RawArrowArray.nChildren(address);
  }

  /** A child. */
  public ArrayStruct child(int index) {
    return new ArrayStruct(RawArrowArray.child(address, Objects.checkIndex(index, childCount())));
  }

  /** Whether the array is encoded by a dictionary. */
  public boolean hasDictionary() {
    return RawArrowArray.dictionary(address) != 0;
  }

  /**
   * The values of the dictionary.
   *
   * @throws IllegalStateException if there is none
   */
  public ArrayStruct dictionary() {
    long values = RawArrowArray.dictionary(address);
    if (values == 0) throw new IllegalStateException("the array has no dictionary");
    return new ArrayStruct(values);
  }

  /** Whether it is the same struct, at the same address. */
  @Override
  public boolean equals(Object other) {
    return other instanceof ArrayStruct that && address == that.address;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(address);
  }
}
