package org.arbalest.device.internal.build;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import org.arbalest.device.ColumnBuilder;
import org.arbalest.device.Field;
import org.arbalest.device.FlatType.DecimalType;
import org.arbalest.device.internal.memory.NativeHeap;

/** Decimals, as integers without the point, least significant byte first. */
final class DecimalBuilder extends FixedBuilder {
  private final int precision;
  private final int scale;

  DecimalBuilder(BuildMemory memory, Field field, DecimalType type, int rows) {
    super(memory, field, rows, false, false);
    this.precision = type.precision();
    this.scale = type.scale();
  }

  @Override
  ColumnBuilder appendOther(long value) {
    return append(BigDecimal.valueOf(value));
  }

  @Override
  public ColumnBuilder append(BigDecimal value) {
    write(scaled(value).unscaledValue());
    validity.appendValid();
    return this;
  }

  private void write(BigInteger unscaled) {
    if (width == 4) {
      values.putInt(unscaled.intValue());
      return;
    }
    long at = values.extend(width);
    if (unscaled.bitLength() < Long.SIZE) {
      long low = unscaled.longValue();
      NativeHeap.putLong(at, low);
      for (int i = Long.BYTES; i < width; i += Long.BYTES) NativeHeap.putLong(at + i, low >> (Long.SIZE - 1));
      return;
    }
    byte[] digits = unscaled.toByteArray();
    byte sign = (byte) (unscaled.signum() < 0 ? -1 : 0);
    for (int i = 0; i < width; i++) NativeHeap.putByte(at + i, i < digits.length ? digits[digits.length - 1 - i] : sign);
  }

  /** The decimal with the type's scale, if it fits. */
  private BigDecimal scaled(BigDecimal value) {
    BigDecimal scaled;
    try {
      scaled = value.setScale(scale, RoundingMode.UNNECESSARY);
    } catch (ArithmeticException e) {
      throw doesNotHold("the decimal " + value + " (scale " + scale + ")");
    }
    if (scaled.precision() > precision) throw doesNotHold("the decimal " + value + " (precision " + precision + ")");
    return scaled;
  }
}
