// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.vector;

import java.math.BigDecimal;
import java.math.BigInteger;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.arbalest.spark.internal.vector.IntegerVectors.OfValues;
import org.jspecify.annotations.Nullable;

/** A vector of decimals of 32 to 256 bits. */
final class DecimalVector extends OfValues {
  private final int bits;

  DecimalVector(DataType type, int bits) {
    super(type);
    this.bits = bits;
  }

  @Override
  public @Nullable Decimal getDecimal(int row, int precision, int scale) {
    if (isNullAt(row)) return null;
    long address = values + bits / 8 * at(row);
    if (bits == 32) return Decimal.createUnsafe(Memory.getInt(address), precision, scale);
    long low = Memory.getLong(address);
    if (bits == 64 || isExtended(address, low)) return small(row, low, precision, scale);
    byte[] bytes = new byte[bits / 8]; // the most significant byte first
    for (int i = 0; i < bytes.length; i++) bytes[bytes.length - 1 - i] = Memory.getByte(address + i);
    return checked(row, new BigDecimal(new BigInteger(bytes), scale), precision, scale);
  }

  private Decimal small(int row, long unscaled, int precision, int scale) {
    if (precision <= Decimal.MAX_LONG_DIGITS()) return Decimal.createUnsafe(unscaled, precision, scale);
    return checked(row, BigDecimal.valueOf(unscaled, scale), precision, scale);
  }

  /** Returns a decimal, and rejects digits beyond the precision: Spark would accept them, or return null. */
  private Decimal checked(int row, BigDecimal value, int precision, int scale) {
    if (value.precision() > precision) {
      throw refusal(row,
          "a decimal has " + value.precision() + " digits, " + value + ", where its type has " + precision
              + " of which " + scale + " behind the point");
    }
    return Decimal.apply(value, precision, scale);
  }

  /** Returns whether all words above the lowest only extend its sign. */
  private boolean isExtended(long address, long low) {
    for (int i = 8; i < bits / 8; i += 8) {
      if (Memory.getLong(address + i) != low >> 63) return false;
    }
    return true;
  }
}
