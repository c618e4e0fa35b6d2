// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.vector;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;

import org.apache.spark.sql.types.DataType;
import org.arbalest.spark.internal.vector.IntegerVectors.OfValues;

/** Vectors of floating-point numbers. */
final class FloatVectors {
  private FloatVectors() {}

  /** Numbers of 16 bits. */
  static final class Halves extends OfValues {
    Halves(DataType type) {
      super(type);
    }

    @Override
    public float getFloat(int row) {
      return Float.float16ToFloat(Memory.getShort(values + 2 * at(row)));
    }
  }

  static final class Floats extends OfValues {
    Floats(DataType type) {
      super(type);
    }

    @Override
    public float getFloat(int row) {
      return Memory.getFloat(values + 4 * at(row));
    }

    @Override
    public float[] getFloats(int row, int count) {
      return Memory.copy(values + 4 * at(row, count), JAVA_FLOAT_UNALIGNED, new float[count], count);
    }
  }

  static final class Doubles extends OfValues {
    Doubles(DataType type) {
      super(type);
    }

    @Override
    public double getDouble(int row) {
      return Memory.getDouble(values + 8 * at(row));
    }

    @Override
    public double[] getDoubles(int row, int count) {
      return Memory.copy(values + 8 * at(row, count), JAVA_DOUBLE_UNALIGNED, new double[count], count);
    }
  }
}
