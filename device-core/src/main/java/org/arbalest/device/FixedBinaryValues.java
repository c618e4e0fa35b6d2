package org.arbalest.device;

import java.lang.foreign.MemorySegment;

/** Bytes, the same number for each value. */
final class FixedBinaryValues extends Values {
  private final long address;
  private final int width;

  FixedBinaryValues(Field field, long address) {
    super(field);
    this.address = address;
    this.width = (int) field.layout.width();
  }

  @Override
  byte[] getBytes(long at) {
    return NativeHeap.getBytes(address + width * at, width);
  }

  @Override
  Object get(long at) {
    return getBytes(at);
  }

  @Override
  MemorySegment segment(long from, long length) {
    return segment(field, address, from, length);
  }
}
