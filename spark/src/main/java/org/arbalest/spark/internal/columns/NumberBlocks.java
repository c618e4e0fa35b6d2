// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.columns;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.arbalest.device.ColumnBuilder;

/** Numbers of rows, gathered in arrays that are appended as a whole. Each is one task's. A loop for each type, so that there is no virtual call for each value. */
abstract class NumberBlocks implements ObjectWriter, ValueWriter {
  /** Rows that are read column by column: few, so that they are still in the cache. */
  static final int BLOCK = 64;

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

  /** Puts those of rows at their places. */
  abstract void fill(int at, Row[] rows, int more, int ordinal);

  /** Puts those of rows at their places. */
  abstract void fill(int at, InternalRow[] rows, int more, int ordinal);

  @Override
  public final void appendAll(ColumnBuilder to, Row[] rows, int more, int ordinal) {
    fill(placeOf(more, to), rows, more, ordinal);
  }

  @Override
  public final void appendAll(ColumnBuilder to, InternalRow[] rows, int more, int ordinal) {
    fill(placeOf(more, to), rows, more, ordinal);
  }

  private int placeOf(int more, ColumnBuilder to) {
    if (count + more > CAPACITY) flush(to);
    int at = count;
    count += more;
    return at;
  }

  final void setNull(int at) {
    if (!hasNulls) {
      hasNulls = true;
      Arrays.fill(valid, -1);
    }
    valid[at / Long.SIZE] &= ~(1L << at);
  }

  @Override
  public final void flush(ColumnBuilder to) {
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
    void fill(int at, Row[] rows, int more, int ordinal) {
      for (int row = 0; row < more; row++) {
        Object value = rows[row].get(ordinal);
        if (value == null) {
          setNull(at + row);
        } else {
          numbers[at + row] = (Integer) value;
        }
      }
    }

    @Override
    void fill(int at, InternalRow[] rows, int more, int ordinal) {
      for (int row = 0; row < more; row++) {
        if (rows[row].isNullAt(ordinal)) {
          setNull(at + row);
        } else {
          numbers[at + row] = rows[row].getInt(ordinal);
        }
      }
    }

    @Override
    public void append(ColumnBuilder to, Object value) {
      to.append((long) (Integer) value);
    }

    @Override
    public void append(ColumnBuilder to, SpecializedGetters from, int ordinal) {
      to.append((long) from.getInt(ordinal));
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
    void fill(int at, Row[] rows, int more, int ordinal) {
      for (int row = 0; row < more; row++) {
        Object value = rows[row].get(ordinal);
        if (value == null) {
          setNull(at + row);
        } else {
          numbers[at + row] = (Long) value;
        }
      }
    }

    @Override
    void fill(int at, InternalRow[] rows, int more, int ordinal) {
      for (int row = 0; row < more; row++) {
        if (rows[row].isNullAt(ordinal)) {
          setNull(at + row);
        } else {
          numbers[at + row] = rows[row].getLong(ordinal);
        }
      }
    }

    @Override
    public void append(ColumnBuilder to, Object value) {
      to.append((long) (Long) value);
    }

    @Override
    public void append(ColumnBuilder to, SpecializedGetters from, int ordinal) {
      to.append(from.getLong(ordinal));
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
    void fill(int at, Row[] rows, int more, int ordinal) {
      for (int row = 0; row < more; row++) {
        Object value = rows[row].get(ordinal);
        if (value == null) {
          setNull(at + row);
        } else {
          numbers[at + row] = (Float) value;
        }
      }
    }

    @Override
    void fill(int at, InternalRow[] rows, int more, int ordinal) {
      for (int row = 0; row < more; row++) {
        if (rows[row].isNullAt(ordinal)) {
          setNull(at + row);
        } else {
          numbers[at + row] = rows[row].getFloat(ordinal);
        }
      }
    }

    @Override
    public void append(ColumnBuilder to, Object value) {
      to.append((float) (Float) value);
    }

    @Override
    public void append(ColumnBuilder to, SpecializedGetters from, int ordinal) {
      to.append(from.getFloat(ordinal));
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
    void fill(int at, Row[] rows, int more, int ordinal) {
      for (int row = 0; row < more; row++) {
        Object value = rows[row].get(ordinal);
        if (value == null) {
          setNull(at + row);
        } else {
          numbers[at + row] = (Double) value;
        }
      }
    }

    @Override
    void fill(int at, InternalRow[] rows, int more, int ordinal) {
      for (int row = 0; row < more; row++) {
        if (rows[row].isNullAt(ordinal)) {
          setNull(at + row);
        } else {
          numbers[at + row] = rows[row].getDouble(ordinal);
        }
      }
    }

    @Override
    public void append(ColumnBuilder to, Object value) {
      to.append((double) (Double) value);
    }

    @Override
    public void append(ColumnBuilder to, SpecializedGetters from, int ordinal) {
      to.append(from.getDouble(ordinal));
    }
  }
}
