// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.columns;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DayTimeIntervalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.sql.types.YearMonthIntervalType;
import org.arbalest.device.ColumnBuilder;
import org.jspecify.annotations.Nullable;

/** Numbers of one column of some rows, gathered in an array that is appended as a whole. The kinds are told apart by a switch, since a virtual call for each value took longer. */
final class NumberColumn {
  /** How many rows there is room for. */
  static final int ROWS = 1024;

  private static final int INT = 0;
  private static final int LONG = 1;
  private static final int FLOAT = 2;
  private static final int DOUBLE = 3;

  private final int kind;
  private final int[] ints;
  private final long[] longs;
  private final float[] floats;
  private final double[] doubles;
  private final MemorySegment all;
  private final long[] valid = new long[ROWS / Long.SIZE];
  private final MemorySegment bitmap = MemorySegment.ofArray(valid);
  private boolean hasNulls;

  private NumberColumn(int kind) {
    this.kind = kind;
    this.ints = new int[kind == INT ? ROWS : 0];
    this.longs = new long[kind == LONG ? ROWS : 0];
    this.floats = new float[kind == FLOAT ? ROWS : 0];
    this.doubles = new double[kind == DOUBLE ? ROWS : 0];
    this.all = switch (kind) {
      case INT -> MemorySegment.ofArray(ints);
      case LONG -> MemorySegment.ofArray(longs);
      case FLOAT -> MemorySegment.ofArray(floats);
      default -> MemorySegment.ofArray(doubles);
    };
  }

  /** For a type whose objects are numbers as they are in Arrow; null for another. */
  static @Nullable NumberColumn ofObjects(DataType type) {
    return switch (type) {
      case IntegerType _ -> new NumberColumn(INT);
      case LongType _ -> new NumberColumn(LONG);
      case FloatType _ -> new NumberColumn(FLOAT);
      case DoubleType _ -> new NumberColumn(DOUBLE);
      default -> null;
    };
  }

  /** For a type whose values in internal rows are; null for another. */
  static @Nullable NumberColumn ofInternal(DataType type) {
    return switch (type) {
      case DateType _, YearMonthIntervalType _ -> new NumberColumn(INT);
      case TimestampType _, TimestampNTZType _, DayTimeIntervalType _ -> new NumberColumn(LONG);
      default -> ofObjects(type);
    };
  }

  /** Forgets what was not flushed. */
  void clear() {
    hasNulls = false;
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
      default -> doubles[at] = (Double) value;
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
      default -> doubles[at] = row.getDouble(ordinal);
    }
  }

  /** And a zero, as what was there before was another row's. */
  private void putNull(int at) {
    if (!hasNulls) {
      hasNulls = true;
      Arrays.fill(valid, -1);
    }
    valid[at / Long.SIZE] &= ~(1L << at);
    switch (kind) {
      case INT -> ints[at] = 0;
      case LONG -> longs[at] = 0;
      case FLOAT -> floats[at] = 0;
      default -> doubles[at] = 0;
    }
  }

  /** Appends the first rows. */
  void flush(int rows, ColumnBuilder to) {
    long first = to.length();
    to.appendAll(all.asSlice(0, all.byteSize() / ROWS * rows));
    if (hasNulls) to.setNulls(first, bitmap, 0);
    hasNulls = false;
  }
}
