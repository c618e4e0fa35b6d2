package org.arbalest.device.internal.build;

import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.List;
import java.util.Objects;
import org.arbalest.device.ColumnBuilder;
import org.arbalest.device.Field;
import org.arbalest.device.FlatType.DateType;
import org.arbalest.device.FlatType.DecimalType;
import org.arbalest.device.FlatType.DurationType;
import org.arbalest.device.FlatType.FixedSizeBinaryType;
import org.arbalest.device.FlatType.FloatType;
import org.arbalest.device.FlatType.IntType;
import org.arbalest.device.FlatType.TimeType;
import org.arbalest.device.FlatType.TimestampType;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.Layout;

/** Values of one width: integers, floats, decimals, dates and times, binary of a fixed size. */
final class FixedBuilder extends ColumnBuilderImpl {
  private enum Kind {
    INTEGER,
    FLOAT,
    DECIMAL,
    BINARY
  }

  private final GrowableBuffer values;
  private final Kind kind;
  private final int width;
  private final boolean signed;

  FixedBuilder(BuildMemory memory, Field field, int rows) {
    super(memory, field);
    this.width = (int) Layout.of(field).width();
    this.kind =
        switch (field.type()) {
          case FloatType _ -> Kind.FLOAT;
          case DecimalType _ -> Kind.DECIMAL;
          case FixedSizeBinaryType _ -> Kind.BINARY;
          case IntType _, DateType _, TimeType _, TimestampType _, DurationType _ -> Kind.INTEGER;
          default -> throw new IllegalArgumentException("no builder writes " + field);
        };
    this.signed = !(field.type() instanceof IntType type) || type.signed();
    this.values = new GrowableBuffer(memory, (long) width * rows);
  }

  @Override
  public ColumnBuilder append(long value) {
    if (kind != Kind.INTEGER) return appendConverted(value);
    checkRange(value, 0);
    switch (width) {
      case 8 -> values.putLong(value);
      case 4 -> values.putInt((int) value);
      case 2 -> values.putShort((short) value);
      default -> values.putByte((byte) value);
    }
    validity.appendValid(1);
    return this;
  }

  private ColumnBuilder appendConverted(long value) {
    if (kind == Kind.DECIMAL) return append(BigDecimal.valueOf(value));
    check(value, 0);
    return append((double) value);
  }

  @Override
  void check(long value, int ahead) {
    switch (kind) {
      case INTEGER -> checkRange(value, ahead);
      case FLOAT -> {
        if (!isExact(value)) throw doesNotFit("the integer " + value + " exactly", ahead);
      }
      case DECIMAL -> scaled(BigDecimal.valueOf(value), ahead);
      case BINARY -> throw doesNotFit("an integer");
    }
  }

  private void checkRange(long value, int ahead) {
    if (width == 8) return;
    int bits = 8 * width;
    long least = signed ? -(1L << (bits - 1)) : 0;
    long most = signed ? (1L << (bits - 1)) - 1 : (1L << bits) - 1;
    if (value < least || value > most) throw doesNotFit("the integer " + value + " (" + least + " to " + most + ")", ahead);
  }

  /** Whether a float of this width is that integer. */
  private boolean isExact(long value) {
    double nearest =
        switch (width) {
          case 8 -> (double) value;
          case 4 -> (float) value;
          default -> Float.float16ToFloat(Float.floatToFloat16((float) value));
        };
    return nearest >= -0x1p63 && nearest < 0x1p63 && (long) nearest == value; // what is beyond a long is cast to the largest, or the smallest
  }

  @Override
  public ColumnBuilder append(double value) {
    if (kind != Kind.FLOAT) throw doesNotFit("a floating-point number");
    switch (width) {
      case 8 -> values.putLong(Double.doubleToRawLongBits(value));
      case 4 -> values.putInt(Float.floatToRawIntBits((float) value));
      default -> values.putShort(Float.floatToFloat16(roundToOdd(value)));
    }
    validity.appendValid(1);
    return this;
  }

  /** To the float on the side of the odd bit, from where rounding again goes to the nearest. */
  private static float roundToOdd(double value) {
    float nearest = (float) value;
    if (nearest == value || Double.isNaN(value)) return nearest;
    int bits = Float.floatToRawIntBits(nearest);
    if (Math.abs((double) nearest) > Math.abs(value)) bits--;
    return Float.intBitsToFloat(bits | 1);
  }

  @Override
  public ColumnBuilder append(BigDecimal value) {
    BigInteger unscaled = scaled(value, 0).unscaledValue();
    byte[] digits = unscaled.toByteArray();
    long at = values.extend(width);
    for (int i = 0; i < width; i++) {
      byte sign = (byte) (unscaled.signum() < 0 ? -1 : 0);
      NativeHeap.putByte(at + i, i < digits.length ? digits[digits.length - 1 - i] : sign);
    }
    validity.appendValid(1);
    return this;
  }

  /** The decimal with the type's scale, if it fits. */
  private BigDecimal scaled(BigDecimal value, int ahead) {
    if (!(field.type() instanceof DecimalType type)) throw doesNotFit("a decimal");
    BigDecimal scaled;
    try {
      scaled = value.setScale(type.scale(), RoundingMode.UNNECESSARY);
    } catch (ArithmeticException e) {
      throw doesNotFit("the decimal " + value + " (scale " + type.scale() + ")", ahead);
    }
    if (scaled.precision() > type.precision()) throw doesNotFit("the decimal " + value + " (precision " + type.precision() + ")", ahead);
    return scaled;
  }

  @Override
  public ColumnBuilder append(byte[] value) {
    if (kind != Kind.BINARY) throw doesNotFit("bytes");
    if (value.length != width) throw doesNotFit(value.length + " bytes", 0);
    values.putBytes(value);
    validity.appendValid(1);
    return this;
  }

  @Override
  public ColumnBuilder appendAll(byte[] array) {
    Objects.requireNonNull(array, "values");
    return isStored(Kind.INTEGER, 1) ? copy(MemorySegment.ofArray(array), array.length) : super.appendAll(array);
  }

  @Override
  public ColumnBuilder appendAll(short[] array) {
    Objects.requireNonNull(array, "values");
    return isStored(Kind.INTEGER, 2) ? copy(MemorySegment.ofArray(array), array.length) : super.appendAll(array);
  }

  @Override
  public ColumnBuilder appendAll(int[] array) {
    Objects.requireNonNull(array, "values");
    return isStored(Kind.INTEGER, 4) ? copy(MemorySegment.ofArray(array), array.length) : super.appendAll(array);
  }

  @Override
  public ColumnBuilder appendAll(long[] array) {
    Objects.requireNonNull(array, "values");
    return isStored(Kind.INTEGER, 8) ? copy(MemorySegment.ofArray(array), array.length) : super.appendAll(array);
  }

  @Override
  public ColumnBuilder appendAll(float[] array) {
    Objects.requireNonNull(array, "values");
    return isStored(Kind.FLOAT, 4) ? copy(MemorySegment.ofArray(array), array.length) : super.appendAll(array);
  }

  @Override
  public ColumnBuilder appendAll(double[] array) {
    Objects.requireNonNull(array, "values");
    return isStored(Kind.FLOAT, 8) ? copy(MemorySegment.ofArray(array), array.length) : super.appendAll(array);
  }

  @Override
  public ColumnBuilder appendAll(MemorySegment stored) {
    if (width == 0 || stored.byteSize() % width != 0) throw doesNotFit(stored.byteSize() + " bytes of values that are " + width + " wide");
    return copy(stored, stored.byteSize() / width);
  }

  /** Whether an array of this kind is stored bit by bit: for integers, signed ones, and 64-bit ones, which are never checked. */
  private boolean isStored(Kind wanted, int bytes) {
    return kind == wanted && width == bytes && (signed || width == 8);
  }

  private ColumnBuilder copy(MemorySegment array, long count) {
    values.putAll(array);
    validity.appendValid(count);
    return this;
  }

  @Override
  void writeNull() {
    values.extendWithZeroes(width);
  }

  @Override
  List<GrowableBuffer> buffers() {
    return List.of(values);
  }
}
