// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.columns;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.apache.spark.sql.Row;
import org.arbalest.device.ColumnBuilder;

/** Numbers of rows, gathered in arrays that are appended as a whole. Each is one task's. */
abstract class NumberBlocks implements ObjectWriter {
  private static final int CAPACITY = 16 * BLOCK;

  private final MemorySegment block;
  private final int width;
  private final long[] valid = new long[CAPACITY / Long.SIZE];
  private final MemorySegment bitmap = MemorySegment.ofArray(valid);
  private int count;
  private boolean hasNulls;

  /** With an array of {@link #CAPACITY} numbers. */
  private NumberBlocks(MemorySegment block) {
    this.block = block;
    this.width = (int) (block.byteSize() / CAPACITY);
  }

  /** Puts a number at its place. */
  abstract void set(int at, Object value);

  @Override
  public void appendAll(ColumnBuilder to, Row[] rows, int more, int ordinal) {
    if (count + more > CAPACITY) flush(to);
    int at = count;
    for (int row = 0; row < more; row++, at++) {
      Object value = rows[row].get(ordinal);
      if (value == null) {
        setNull(at);
      } else {
        set(at, value);
      }
    }
    count = at;
  }

  private void setNull(int at) {
    if (!hasNulls) {
      hasNulls = true;
      Arrays.fill(valid, -1);
    }
    valid[at / Long.SIZE] &= ~(1L << at);
  }

  @Override
  public void flush(ColumnBuilder to) {
    long first = to.length();
    to.appendAll(block.asSlice(0, (long) width * count));
    if (hasNulls) to.setNulls(first, bitmap, 0);
    count = 0;
    hasNulls = false;
  }

  static final class Ints extends NumberBlocks {
    private final int[] numbers;

    Ints() {
      this(new int[CAPACITY]);
    }

    private Ints(int[] numbers) {
      super(MemorySegment.ofArray(numbers));
      this.numbers = numbers;
    }

    @Override
    void set(int at, Object value) {
      numbers[at] = (Integer) value;
    }

    @Override
    public void append(ColumnBuilder to, Object value) {
      to.append((long) (Integer) value);
    }
  }

  static final class Longs extends NumberBlocks {
    private final long[] numbers;

    Longs() {
      this(new long[CAPACITY]);
    }

    private Longs(long[] numbers) {
      super(MemorySegment.ofArray(numbers));
      this.numbers = numbers;
    }

    @Override
    void set(int at, Object value) {
      numbers[at] = (Long) value;
    }

    @Override
    public void append(ColumnBuilder to, Object value) {
      to.append((long) (Long) value);
    }
  }

  static final class Floats extends NumberBlocks {
    private final float[] numbers;

    Floats() {
      this(new float[CAPACITY]);
    }

    private Floats(float[] numbers) {
      super(MemorySegment.ofArray(numbers));
      this.numbers = numbers;
    }

    @Override
    void set(int at, Object value) {
      numbers[at] = (Float) value;
    }

    @Override
    public void append(ColumnBuilder to, Object value) {
      to.append((float) (Float) value);
    }
  }

  static final class Doubles extends NumberBlocks {
    private final double[] numbers;

    Doubles() {
      this(new double[CAPACITY]);
    }

    private Doubles(double[] numbers) {
      super(MemorySegment.ofArray(numbers));
      this.numbers = numbers;
    }

    @Override
    void set(int at, Object value) {
      numbers[at] = (Double) value;
    }

    @Override
    public void append(ColumnBuilder to, Object value) {
      to.append((double) (Double) value);
    }
  }
}
