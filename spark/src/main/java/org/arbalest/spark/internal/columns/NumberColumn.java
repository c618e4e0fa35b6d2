// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.columns;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DayTimeIntervalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.sql.types.YearMonthIntervalType;
import org.arbalest.device.builders.ColumnBuilder;
import org.jspecify.annotations.Nullable;

/**
 * Numbers or booleans of one column, gathered from some rows in an array that is appended as a whole. A switch
 * separates the kinds, because a virtual call for each value took longer.
 */
final class NumberColumn {
  /** The number of rows that fit. */
  static final int ROWS = 1024;

  private static final int INT = 0;
  private static final int LONG = 1;
  private static final int FLOAT = 2;
  private static final int DOUBLE = 3;
  private static final int SHORT = 4;
  private static final int BYTE = 5;
  private static final int BOOLEAN = 6;

  private final int kind;
  private final int[] ints;
  private final long[] longs;
  private final float[] floats;
  private final double[] doubles;
  private final short[] shorts;
  private final byte[] bytes;
  private final boolean[] booleans;

  /** The array; empty for booleans, which Arrow stores as bits. */
  private final MemorySegment all;

  private final NullMask nulls = new NullMask();

  private NumberColumn(int kind) {
    this.kind = kind;
    this.ints = new int[kind == INT ? ROWS : 0];
    this.longs = new long[kind == LONG ? ROWS : 0];
    this.floats = new float[kind == FLOAT ? ROWS : 0];
    this.doubles = new double[kind == DOUBLE ? ROWS : 0];
    this.shorts = new short[kind == SHORT ? ROWS : 0];
    this.bytes = new byte[kind == BYTE ? ROWS : 0];
    this.booleans = new boolean[kind == BOOLEAN ? ROWS : 0];
    this.all = switch (kind) {
      case INT -> MemorySegment.ofArray(ints);
      case LONG -> MemorySegment.ofArray(longs);
      case FLOAT -> MemorySegment.ofArray(floats);
      case DOUBLE -> MemorySegment.ofArray(doubles);
      case SHORT -> MemorySegment.ofArray(shorts);
      default -> MemorySegment.ofArray(bytes);
    };
  }

  /** Returns a column for a type whose objects are the numbers that Arrow stores; null for another type. */
  static @Nullable NumberColumn ofObjects(DataType type) {
    return switch (type) {
      case IntegerType _ -> new NumberColumn(INT);
      case LongType _ -> new NumberColumn(LONG);
      case FloatType _ -> new NumberColumn(FLOAT);
      case DoubleType _ -> new NumberColumn(DOUBLE);
      case ShortType _ -> new NumberColumn(SHORT);
      case ByteType _ -> new NumberColumn(BYTE);
      case BooleanType _ -> new NumberColumn(BOOLEAN);
      default -> null;
    };
  }

  /**
   * Returns a column for a type whose values in internal rows are the numbers that Arrow stores; null for another type.
   */
  static @Nullable NumberColumn ofInternal(DataType type) {
    return switch (type) {
      case DateType _, YearMonthIntervalType _ -> new NumberColumn(INT);
      case TimestampType _, TimestampNTZType _, DayTimeIntervalType _ -> new NumberColumn(LONG);
      default -> ofObjects(type);
    };
  }

  /** Discards values that were not flushed. */
  void clear() {
    nulls.clear();
  }

  void put(int at, Row row, int ordinal) {
    Object value = row.get(ordinal);
    if (value == null) {
      putNull(at);
      return;
    }
    switch (kind) {
      case INT -> ints[at] = (Integer) value;
      case LONG -> longs[at] = (Long) value;
      case FLOAT -> floats[at] = (Float) value;
      case DOUBLE -> doubles[at] = (Double) value;
      case SHORT -> shorts[at] = (Short) value;
      case BYTE -> bytes[at] = (Byte) value;
      default -> booleans[at] = (Boolean) value;
    }
  }

  void put(int at, InternalRow row, int ordinal) {
    if (row.isNullAt(ordinal)) {
      putNull(at);
      return;
    }
    switch (kind) {
      case INT -> ints[at] = row.getInt(ordinal);
      case LONG -> longs[at] = row.getLong(ordinal);
      case FLOAT -> floats[at] = row.getFloat(ordinal);
      case DOUBLE -> doubles[at] = row.getDouble(ordinal);
      case SHORT -> shorts[at] = row.getShort(ordinal);
      case BYTE -> bytes[at] = row.getByte(ordinal);
      default -> booleans[at] = row.getBoolean(ordinal);
    }
  }

  /** Records a null, and writes a zero in place of an earlier row's value. */
  private void putNull(int at) {
    nulls.set(at);
    switch (kind) {
      case INT -> ints[at] = 0;
      case LONG -> longs[at] = 0;
      case FLOAT -> floats[at] = 0;
      case DOUBLE -> doubles[at] = 0;
      case SHORT -> shorts[at] = 0;
      case BYTE -> bytes[at] = 0;
      default -> booleans[at] = false;
    }
  }

  /** Appends the first rows of the array. */
  void flush(int rows, ColumnBuilder to) {
    long first = to.length();
    if (kind == BOOLEAN) {
      to.appendAll(rows == ROWS ? booleans : Arrays.copyOf(booleans, rows));
    } else {
      to.appendAll(all.asSlice(0, all.byteSize() / ROWS * rows));
    }
    nulls.flush(to, first);
  }
}
