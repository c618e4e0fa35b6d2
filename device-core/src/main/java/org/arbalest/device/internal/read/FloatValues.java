package org.arbalest.device.internal.read;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.arbalest.device.Field;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.Layout;

/** Floating-point numbers. */
final class FloatValues extends Values {
  private final long address;
  private final int bits;

  FloatValues(Field field, long address) {
    super(field);
    this.address = address;
    this.bits = (int) Layout.of(field).bits;
  }

  @Override
  boolean copyTo(double[] array, long from) {
    if (bits != 64) return false;
    MemorySegment.copy(segment(from, array.length), ValueLayout.JAVA_DOUBLE_UNALIGNED, 0, array, 0, array.length);
    return true;
  }

  @Override
  double getDouble(long at) {
    return switch (bits) {
      case 64 -> Double.longBitsToDouble(NativeHeap.getLong(address + 8 * at));
      case 32 -> Float.intBitsToFloat(NativeHeap.getInt(address + 4 * at));
      default -> Float.float16ToFloat(NativeHeap.getShort(address + 2 * at));
    };
  }

  @Override
  Object get(long at) {
    return getDouble(at);
  }

  @Override
  MemorySegment segment(long from, long length) {
    return segment(field, address, from, length);
  }
}
