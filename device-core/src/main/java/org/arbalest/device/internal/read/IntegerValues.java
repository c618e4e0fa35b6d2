package org.arbalest.device.internal.read;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigDecimal;
import java.math.BigInteger;
import org.arbalest.device.Field;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.Layout;

/** Integers, and what is stored as one: dates, times, timestamps, durations. */
final class IntegerValues extends Values {
  private final long address;
  private final int bits;
  private final boolean signed;

  IntegerValues(Field field, long address, boolean signed) {
    super(field);
    this.address = address;
    this.bits = (int) Layout.of(field).bits;
    this.signed = signed;
  }

  @Override
  long getLong(long at) {
    return switch (bits) {
      case 64 -> NativeHeap.getLong(address + 8 * at);
      case 32 -> {
        int value = NativeHeap.getInt(address + 4 * at);
        yield signed ? value : Integer.toUnsignedLong(value);
      }
      case 16 -> {
        short value = NativeHeap.getShort(address + 2 * at);
        yield signed ? value : Short.toUnsignedLong(value);
      }
      default -> {
        byte value = NativeHeap.getByte(address + at);
        yield signed ? value : Byte.toUnsignedLong(value);
      }
    };
  }

  @Override
  boolean copyTo(long[] array, long from) {
    if (bits != 64) return false;
    MemorySegment.copy(segment(from, array.length), ValueLayout.JAVA_LONG_UNALIGNED, 0, array, 0, array.length);
    return true;
  }

  @Override
  double getDouble(long at) {
    long value = getLong(at);
    return value >= 0 || signed ? value : unsigned(value).doubleValue();
  }

  @Override
  BigDecimal getDecimal(long at) {
    long value = getLong(at);
    return value >= 0 || signed ? BigDecimal.valueOf(value) : new BigDecimal(unsigned(value));
  }

  private static BigInteger unsigned(long value) {
    return new BigInteger(Long.toUnsignedString(value));
  }

  @Override
  Object get(long at) {
    return bits == 64 && !signed ? getDecimal(at) : (Object) getLong(at);
  }

  @Override
  MemorySegment segment(long from, long length) {
    return segment(field, address, from, length);
  }
}
