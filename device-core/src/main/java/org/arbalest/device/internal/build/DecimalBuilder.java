// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.Objects;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.DecimalType;
import org.arbalest.device.internal.memory.NativeHeap;

/** A builder of decimal columns, which store unscaled integers in little-endian order. */
final class DecimalBuilder extends FixedBuilder {
  /** The most digits with which every number fits in a {@code long}. */
  private static final int LONG_DIGITS = 18;

  /** The largest precision of any Arrow decimal type. */
  private static final int MOST_DIGITS = 76;

  private final int precision;
  private final int scale;

  /** The unscaled integer that stores 1, or 0 if it does not fit in a {@code long}. */
  private final long one;

  /** The largest unscaled integer that the column stores, limited to {@code long}. */
  private final long most;

  DecimalBuilder(BuildMemory memory, Field field, DecimalType type, int rows) {
    super(memory, field, rows, false, false);
    this.precision = type.precision();
    this.scale = type.scale();
    this.one = scale >= 0 && scale <= LONG_DIGITS ? BigInteger.TEN.pow(scale).longValue() : 0;
    this.most = precision <= LONG_DIGITS ? BigInteger.TEN.pow(precision).longValue() - 1 : Long.MAX_VALUE;
  }

  @Override
  ColumnBuilder appendOther(long value) {
    long unscaled = value * one;
    if (one == 0 || Math.multiplyHigh(value, one) != unscaled >> (Long.SIZE - 1) || unscaled > most
        || unscaled < -most) {
      return append(BigDecimal.valueOf(value));
    }
    write(unscaled);
    validity.appendValid();
    return this;
  }

  @Override
  public ColumnBuilder append(BigDecimal value) {
    write(scaled(Objects.requireNonNull(value, NO_VALUE)).unscaledValue());
    validity.appendValid();
    return this;
  }

  private void write(long unscaled) {
    if (width == 4) {
      values.putInt((int) unscaled);
      return;
    }
    long at = values.extend(width);
    NativeHeap.putLong(at, unscaled);
    for (int i = Long.BYTES; i < width; i += Long.BYTES) NativeHeap.putLong(at + i, unscaled >> (Long.SIZE - 1));
  }

  private void write(BigInteger unscaled) {
    if (unscaled.bitLength() < Long.SIZE) {
      write(unscaled.longValue());
      return;
    }
    long at = values.extend(width);
    byte[] digits = unscaled.toByteArray();
    byte sign = (byte) (unscaled.signum() < 0 ? -1 : 0);
    for (int i = 0; i < width; i++)
      NativeHeap.putByte(at + i, i < digits.length ? digits[digits.length - 1 - i] : sign);
  }

  /** Returns the decimal with the scale of the type, or throws if it does not fit. */
  private BigDecimal scaled(BigDecimal value) {
    if (value.signum() == 0) return BigDecimal.ZERO;
    long more = (long) scale - value.scale(); // zeroes to add; setScale would first create all the digits
    if (more > precision) throw tooLong(value);
    if (-more >= value.precision()) throw tooFine(value);
    BigDecimal scaled;
    try {
      scaled = value.setScale(scale, RoundingMode.UNNECESSARY);
    } catch (ArithmeticException e) {
      throw tooFine(value);
    }
    if (scaled.precision() > precision) throw tooLong(value);
    return scaled;
  }

  private IllegalArgumentException tooLong(BigDecimal value) {
    long digits = value.precision() + (long) scale - value.scale();
    String hint = digits <= MOST_DIGITS ? "a type with a precision of " + digits + " does" : "";
    return doesNotHold("the decimal " + value + ", which takes " + digits + " digits (precision " + precision + ")",
        hint);
  }

  private IllegalArgumentException tooFine(BigDecimal value) {
    String what = "the decimal " + value + ", which has " + value.stripTrailingZeros().scale()
        + " digits after the point (scale " + scale + ")";
    return doesNotHold(what, "round it, for example with setScale(" + scale + ", RoundingMode.HALF_EVEN)");
  }
}
