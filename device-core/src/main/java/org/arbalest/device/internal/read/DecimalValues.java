package org.arbalest.device.internal.read;

import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import java.math.BigInteger;
import org.arbalest.device.Field;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.Layout;

/** Decimals of any width: two's complement, in the platform's byte order, which is little-endian on every platform that is supported. */
final class DecimalValues extends Values {
  private final long address;
  private final int width;
  private final int scale;

  DecimalValues(Field field, long address, int scale) {
    super(field);
    this.address = address;
    this.width = (int) Layout.of(field).width();
    this.scale = scale;
  }

  @Override
  BigDecimal getDecimal(long at) {
    byte[] bytes = NativeHeap.getBytes(address + width * at, width);
    for (int low = 0, high = width - 1; low < high; low++, high--) {
      byte swapped = bytes[low];
      bytes[low] = bytes[high];
      bytes[high] = swapped;
    }
    return new BigDecimal(new BigInteger(bytes), scale);
  }

  @Override
  double getDouble(long at) {
    return getDecimal(at).doubleValue();
  }

  @Override
  Object get(long at) {
    return getDecimal(at);
  }

  @Override
  MemorySegment segment(long from, long length) {
    return segment(field, address, from, length);
  }
}
