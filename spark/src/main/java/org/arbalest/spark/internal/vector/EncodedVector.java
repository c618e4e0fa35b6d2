// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.vector;

import java.util.Arrays;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarArray;
import org.apache.spark.sql.vectorized.ColumnarMap;
import org.apache.spark.unsafe.types.CalendarInterval;
import org.apache.spark.unsafe.types.UTF8String;
import org.arbalest.device.columns.Column;
import org.arbalest.device.columns.Runs;
import org.jspecify.annotations.Nullable;

/** A vector whose rows refer to rows of other values: of a dictionary, or of runs. Each read looks up the value. */
abstract class EncodedVector extends ArrowVector {
  final ArrowVector values;

  /** The fields that Spark requested so far, for structs. */
  private @Nullable Child[] children = new Child[0];

  EncodedVector(DataType type, ArrowVector values) {
    super(type);
    this.values = values;
  }

  /** Returns the row of the value that a non-null row refers to. */
  abstract int value(int row);

  /** A dictionary vector, with indices of some width. */
  static final class Dictionary extends EncodedVector {
    private final int bits;
    private long indices;

    Dictionary(ArrowVector values, int bits) {
      super(values.dataType(), values);
      this.bits = bits;
    }

    @Override
    void onColumn(Column next) {
      indices = next.bufferAddress(1);
      values.show(next.dictionary());
    }

    @Override
    int value(int row) {
      long at = at(row);
      return switch (bits) { // no index is negative, or greater than the int that Spark uses for counts
        case 8 -> Byte.toUnsignedInt(Memory.getByte(indices + at));
        case 16 -> Short.toUnsignedInt(Memory.getShort(indices + 2 * at));
        case 32 -> Memory.getInt(indices + 4 * at);
        default -> Math.toIntExact(Memory.getLong(indices + 8 * at));
      };
    }
  }

  /** A run-end encoded vector. */
  static final class RunEnds extends EncodedVector {
    private int[] ends = new int[0];
    private int count;

    /** The run that was found last; the next search begins there. */
    private int last;

    RunEnds(ArrowVector values) {
      super(values.dataType(), values);
    }

    @Override
    boolean hasValidity() {
      return false;
    }

    @Override
    void onColumn(Column next) {
      Runs runs = next.runs();
      count = 0;
      last = 0;
      int first = 0;
      while (runs.next()) {
        if (count == 0) first = Math.toIntExact(runs.value());
        if (count == ends.length) ends = Arrays.copyOf(ends, Math.max(16, 2 * count));
        ends[count++] = Math.toIntExact(runs.end());
      }
      firstValue = first;
      values.show(next.runs().values());
    }

    /** The value of the first run: a slice begins at a later run. */
    private int firstValue;

    @Override
    int value(int row) {
      at(row);
      int run = last;
      if (run >= count || row >= ends[run] || (run > 0 && row < ends[run - 1])) {
        int found = Arrays.binarySearch(ends, 0, count, row + 1);
        run = found < 0 ? -found - 1 : found;
        last = run;
      }
      return firstValue + run;
    }
  }

  /** A field of encoded structs. */
  private static final class Child extends EncodedVector {
    private final EncodedVector parent;

    Child(EncodedVector parent, ArrowVector values) {
      super(values.dataType(), values);
      this.parent = parent;
    }

    @Override
    void onColumn(Column next) {
      throw new IllegalStateException("a field of an encoded struct receives no column; its struct does");
    }

    @Override
    public boolean isNullAt(int row) {
      return parent.isNullAt(row) || values.isNullAt(value(row));
    }

    @Override
    public int numNulls() {
      int nulls = 0;
      for (int row = 0; row < parent.length(); row++) nulls += isNullAt(row) ? 1 : 0;
      return nulls;
    }

    @Override
    int value(int row) {
      return parent.value(row);
    }
  }

  @Override
  public boolean isNullAt(int row) {
    return super.isNullAt(row) || values.isNullAt(value(row));
  }

  @Override
  public boolean getBoolean(int row) {
    return isNullAt(row) ? false : values.getBoolean(value(row));
  }

  @Override
  public byte getByte(int row) {
    return isNullAt(row) ? 0 : values.getByte(value(row));
  }

  @Override
  public short getShort(int row) {
    return isNullAt(row) ? 0 : values.getShort(value(row));
  }

  @Override
  public int getInt(int row) {
    return isNullAt(row) ? 0 : values.getInt(value(row));
  }

  @Override
  public long getLong(int row) {
    return isNullAt(row) ? 0 : values.getLong(value(row));
  }

  @Override
  public float getFloat(int row) {
    return isNullAt(row) ? 0 : values.getFloat(value(row));
  }

  @Override
  public double getDouble(int row) {
    return isNullAt(row) ? 0 : values.getDouble(value(row));
  }

  @Override
  public @Nullable ColumnarArray getArray(int row) {
    return isNullAt(row) ? null : values.getArray(value(row));
  }

  @Override
  public @Nullable ColumnarMap getMap(int row) {
    return isNullAt(row) ? null : values.getMap(value(row));
  }

  @Override
  public @Nullable Decimal getDecimal(int row, int precision, int scale) {
    return isNullAt(row) ? null : values.getDecimal(value(row), precision, scale);
  }

  @Override
  public @Nullable UTF8String getUTF8String(int row) {
    return isNullAt(row) ? null : values.getUTF8String(value(row));
  }

  @Override
  public byte @Nullable [] getBinary(int row) {
    return isNullAt(row) ? null : values.getBinary(value(row));
  }

  @Override
  public @Nullable CalendarInterval getInterval(int row) {
    return isNullAt(row) ? null : values.getInterval(value(row));
  }

  /** Returns a field, from a cache: Spark calls this method for each row. */
  @Override
  public ColumnVector getChild(int ordinal) {
    if (ordinal >= children.length) children = Arrays.copyOf(children, ordinal + 1);
    Child child = children[ordinal];
    if (child == null) children[ordinal] = child = new Child(this, (ArrowVector) values.getChild(ordinal));
    return child;
  }

  @Override
  public void close() {
    super.close();
    values.close();
  }
}
