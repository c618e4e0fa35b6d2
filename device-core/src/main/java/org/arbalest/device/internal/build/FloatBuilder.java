// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.types.Field;

/** Floating-point numbers. */
final class FloatBuilder extends FixedBuilder {
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

  /** To the float on the side of the odd bit, from where rounding again goes to the nearest. */
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

  /** Whether a float of this width is that integer. */
  private boolean isExact(long value) {
    double nearest =
        switch (width) {
          case 8 -> (double) value;
          case 4 -> (float) value;
          default -> Float.float16ToFloat(Float.floatToFloat16((float) value));
        };
    // what is beyond a long is cast to the largest, or the smallest
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
