// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.types.Field;

/** A builder of floating-point columns. */
final class FloatBuilder extends FixedBuilder {
  /** Creates a builder. The result's type lets the JVM verify the caller without loading this class. */
  static ColumnBuilderImpl of(BuildMemory memory, Field field, int rows) {
    return new FloatBuilder(memory, field, rows);
  }

  FloatBuilder(BuildMemory memory, Field field, int rows) {
    super(memory, field, rows, false, true);
  }

  @Override
  ColumnBuilder appendOther(double value) {
    if (width == 4) {
      values.putInt(Float.floatToRawIntBits((float) value));
    } else {
      values.putShort(Float.floatToFloat16(roundToOdd(value)));
    }
    validity.appendValid();
    return this;
  }

  /**
   * Rounds to odd: if the value is not a {@code float}, returns the neighbour whose last bit is 1. Rounding that result
   * again gives the nearest value.
   */
  private static float roundToOdd(double value) {
    float nearest = (float) value;
    if (nearest == value || Double.isNaN(value)) return nearest;
    int bits = Float.floatToRawIntBits(nearest);
    if (Math.abs((double) nearest) > Math.abs(value)) bits--;
    return Float.intBitsToFloat(bits | 1);
  }

  @Override
  ColumnBuilder appendOther(long value) {
    if (!isExact(value)) throw doesNotHold("the integer " + value + " exactly");
    return append((double) value);
  }

  /** Returns whether a floating-point number of this width represents the integer exactly. */
  private boolean isExact(long value) {
    double nearest =
        switch (width) {
          case 8 -> (double) value;
          case 4 -> (float) value;
          default -> Float.float16ToFloat(Float.floatToFloat16((float) value));
        };
    // a cast to long clamps larger and smaller numbers, so they must be excluded first
    return nearest >= -0x1p63 && nearest < 0x1p63 && (long) nearest == value;
  }

  @Override
  public ColumnBuilder appendAll(float[] array) {
    Objects.requireNonNull(array, "values");
    return width == 4 ? copy(MemorySegment.ofArray(array), array.length) : super.appendAll(array);
  }

  @Override
  public ColumnBuilder appendAll(double[] array) {
    Objects.requireNonNull(array, "values");
    return width == 8 ? copy(MemorySegment.ofArray(array), array.length) : super.appendAll(array);
  }
}
