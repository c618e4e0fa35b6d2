package org.arbalest.device.internal.read;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.Field;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.Layout;

/** Bytes, the same number for each value. */
final class FixedBinaryValues extends Values {
  private final long address;
  private final long width;

  FixedBinaryValues(Field field, long address) {
    super(field);
    this.address = address;
    this.width = Layout.of(field).width();
  }

  @Override
  byte[] getBytes(long at) {
    return width == 0 ? new byte[0] : NativeHeap.getBytes(address + width * at, arrayLength(width));
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
