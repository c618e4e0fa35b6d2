// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read;

import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.UUID;
import org.arbalest.device.types.Extension.Bool8;
import org.arbalest.device.types.Extension.Uuid;
import org.arbalest.device.types.Field;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.Layout;

/** Values of one fixed width, without gaps. Each subclass reads them in its own way. */
abstract class FixedValues extends Values {
  final long address;
  final int width;

  FixedValues(Field field, long address) {
    super(field);
    this.address = address;
    this.width = Math.toIntExact(Layout.of(field).width());
  }

  @Override
  final MemorySegment segment(long from, long length) {
    return NativeHeap.segment(address + width * from, width * length);
  }

  /** Reads integers, and types stored as integers: dates, times, timestamps and durations. */
  static final class Integers extends FixedValues {
    private final boolean signed;
    private final boolean isBool8;

    /** Whether the values are plain numbers, and not dates or times. */
    private final boolean isNumber;

    /** Creates a reader. The result's type lets the JVM verify the caller without loading this class. */
    static Values of(Field field, long address, boolean signed, boolean isNumber) {
      return new Integers(field, address, signed, isNumber);
    }

    Integers(Field field, long address, boolean signed, boolean isNumber) {
      super(field, address);
      this.signed = signed;
      this.isNumber = isNumber;
      this.isBool8 = field.extension() instanceof Bool8;
    }

    @Override
    long longs() {
      return width == Long.BYTES ? address : 0;
    }

    @Override
    boolean getBoolean(long at) {
      if (!isBool8) throw cannot(Getter.BOOLEAN.what);
      return NativeHeap.getByte(address + at) != 0;
    }

    @Override
    long getLong(long at) {
      return switch (width) {
        case 8 -> NativeHeap.getLong(address + 8 * at);
        case 4 -> {
          int value = NativeHeap.getInt(address + 4 * at);
          yield signed ? value : Integer.toUnsignedLong(value);
        }
        case 2 -> {
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
      long at = address + width * from;
      switch (width) {
        case 8 -> NativeHeap.copy(segment(from, array.length), MemorySegment.ofArray(array));
        case 4 -> {
          long mask = signed ? -1 : 0xFFFF_FFFFL;
          for (int i = 0; i < array.length; i++) array[i] = NativeHeap.getInt(at + 4L * i) & mask;
        }
        case 2 -> {
          long mask = signed ? -1 : 0xFFFF;
          for (int i = 0; i < array.length; i++) array[i] = NativeHeap.getShort(at + 2L * i) & mask;
        }
        default -> {
          long mask = signed ? -1 : 0xFF;
          for (int i = 0; i < array.length; i++) array[i] = NativeHeap.getByte(at + i) & mask;
        }
      }
      return true;
    }

    @Override
    double getDouble(long at) {
      if (!isNumber) throw cannot(Getter.DOUBLE.what);
      long value = getLong(at);
      return value >= 0 || signed ? value : unsigned(value).doubleValue();
    }

    @Override
    BigDecimal getDecimal(long at) {
      if (!isNumber) throw cannot(Getter.DECIMAL.what);
      long value = getLong(at);
      return value >= 0 || signed ? BigDecimal.valueOf(value) : new BigDecimal(unsigned(value));
    }

    private static BigInteger unsigned(long value) {
      return new BigInteger(Long.toUnsignedString(value));
    }

    @Override
    Object get(long at) {
      return width == 8 && !signed ? getDecimal(at) : (Object) getLong(at);
    }
  }

  /** Reads floating-point numbers. */
  static final class Floats extends FixedValues {
    /** Creates a reader, like {@link Integers#of}. */
    static Values of(Field field, long address) {
      return new Floats(field, address);
    }

    Floats(Field field, long address) {
      super(field, address);
    }

    @Override
    boolean copyTo(double[] array, long from) {
      long at = address + width * from;
      switch (width) {
        case 8 -> NativeHeap.copy(segment(from, array.length), MemorySegment.ofArray(array));
        case 4 -> {
          for (int i = 0; i < array.length; i++) array[i] = Float.intBitsToFloat(NativeHeap.getInt(at + 4L * i));
        }
        default -> {
          for (int i = 0; i < array.length; i++) array[i] = Float.float16ToFloat(NativeHeap.getShort(at + 2L * i));
        }
      }
      return true;
    }

    @Override
    double getDouble(long at) {
      return switch (width) {
        case 8 -> Double.longBitsToDouble(NativeHeap.getLong(address + 8 * at));
        case 4 -> Float.intBitsToFloat(NativeHeap.getInt(address + 4 * at));
        default -> Float.float16ToFloat(NativeHeap.getShort(address + 2 * at));
      };
    }

    @Override
    Object get(long at) {
      return getDouble(at);
    }
  }

  /** Reads decimals of any width. */
  static final class Decimals extends FixedValues {
    private final int scale;

    Decimals(Field field, long address, int scale) {
      super(field, address);
      this.scale = scale;
    }

    @Override
    BigDecimal getDecimal(long at) {
      long value = address + width * at;
      if (width == Integer.BYTES) return BigDecimal.valueOf(NativeHeap.getInt(value), scale);
      long lowest = NativeHeap.getLong(value);
      // the usual case
      boolean isLong =
          width == Long.BYTES || (width == 2 * Long.BYTES && NativeHeap.getLong(value + Long.BYTES) == lowest >> 63);
      return isLong ? BigDecimal.valueOf(lowest, scale) : new BigDecimal(NativeHeap.getInteger(value, width), scale);
    }

    @Override
    double getDouble(long at) {
      return getDecimal(at).doubleValue();
    }

    @Override
    Object get(long at) {
      return getDecimal(at);
    }
  }

  /** Reads fixed-size binary values. */
  static final class Binary extends FixedValues {
    private final boolean isUuid;

    Binary(Field field, long address) {
      super(field, address);
      this.isUuid = field.extension() instanceof Uuid;
    }

    @Override
    UUID getUuid(long at) {
      if (!isUuid) throw cannot(Getter.UUID.what);
      long uuid = address + 16 * at;
      return new UUID(NativeHeap.bigEndian(NativeHeap.getLong(uuid)),
          NativeHeap.bigEndian(NativeHeap.getLong(uuid + 8)));
    }

    @Override
    byte[] getBytes(long at, long most) {
      return width == 0 ? new byte[0]
          : NativeHeap.getBytes(address + width * at, arrayLength(at, Math.min(most, width)));
    }

    @Override
    Object get(long at) {
      return getBytes(at);
    }
  }
}
