// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.vector;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.math.BigDecimal;
import java.math.BigInteger;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.arbalest.device.columns.Column;
import org.jspecify.annotations.Nullable;

/** Vectors of booleans and integers. Unsigned integers are read as the next wider signed type. */
final class IntegerVectors {
  private IntegerVectors() {}

  /** A vector with its values in its second buffer. */
  abstract static class OfValues extends ArrowVector {
    long values;

    OfValues(DataType type) {
      super(type);
    }

    @Override
    void onColumn(Column next) {
      values = next.bufferAddress(1);
    }
  }

  static final class Bits extends OfValues {
    Bits(DataType type) {
      super(type);
    }

    @Override
    public boolean getBoolean(int row) {
      return Memory.getBit(values, at(row));
    }
  }

  static final class Bytes extends OfValues {
    Bytes(DataType type) {
      super(type);
    }

    @Override
    public byte getByte(int row) {
      return Memory.getByte(values + at(row));
    }

    @Override
    public byte[] getBytes(int row, int count) {
      return Memory.copy(values + at(row, count), JAVA_BYTE, new byte[count], count);
    }
  }

  static final class Shorts extends OfValues {
    Shorts(DataType type) {
      super(type);
    }

    @Override
    public short getShort(int row) {
      return Memory.getShort(values + 2 * at(row));
    }

    @Override
    public short[] getShorts(int row, int count) {
      return Memory.copy(values + 2 * at(row, count), JAVA_SHORT_UNALIGNED, new short[count], count);
    }
  }

  /** Integers of 32 bits; also days, and months. */
  static final class Ints extends OfValues {
    Ints(DataType type) {
      super(type);
    }

    @Override
    public int getInt(int row) {
      return Memory.getInt(values + 4 * at(row));
    }

    @Override
    public int[] getInts(int row, int count) {
      return Memory.copy(values + 4 * at(row, count), JAVA_INT_UNALIGNED, new int[count], count);
    }
  }

  /** Integers of 64 bits; also microseconds. */
  static final class Longs extends OfValues {
    Longs(DataType type) {
      super(type);
    }

    @Override
    public long getLong(int row) {
      return Memory.getLong(values + 8 * at(row));
    }

    @Override
    public long[] getLongs(int row, int count) {
      return Memory.copy(values + 8 * at(row, count), JAVA_LONG_UNALIGNED, new long[count], count);
    }
  }

  static final class UnsignedBytes extends OfValues {
    UnsignedBytes(DataType type) {
      super(type);
    }

    @Override
    public short getShort(int row) {
      return (short) Byte.toUnsignedInt(Memory.getByte(values + at(row)));
    }
  }

  static final class UnsignedShorts extends OfValues {
    UnsignedShorts(DataType type) {
      super(type);
    }

    @Override
    public int getInt(int row) {
      return Short.toUnsignedInt(Memory.getShort(values + 2 * at(row)));
    }
  }

  static final class UnsignedInts extends OfValues {
    UnsignedInts(DataType type) {
      super(type);
    }

    @Override
    public long getLong(int row) {
      return Integer.toUnsignedLong(Memory.getInt(values + 4 * at(row)));
    }
  }

  static final class UnsignedLongs extends OfValues {
    private static final BigInteger BEYOND = BigInteger.ONE.shiftLeft(Long.SIZE);

    UnsignedLongs(DataType type) {
      super(type);
    }

    @Override
    public @Nullable Decimal getDecimal(int row, int precision, int scale) {
      if (isNullAt(row)) return null;
      long value = Memory.getLong(values + 8 * at(row));
      BigInteger signed = BigInteger.valueOf(value);
      return Decimal.apply(new BigDecimal(value < 0 ? signed.add(BEYOND) : signed), precision, scale);
    }
  }
}
