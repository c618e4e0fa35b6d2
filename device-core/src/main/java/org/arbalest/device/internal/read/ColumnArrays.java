// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.internal.memory.Bitmaps;

/**
 * All rows of a column as a Java array or as a segment. Values are copied in bulk if the column stores them like the
 * elements of the array.
 */
final class ColumnArrays {
  private ColumnArrays() {}

  /** Throws unless getLong reads the type, even if the column is empty. */
  static void checkLongs(ColumnImpl column) {
    column.array.checkOpen();
    if (!Getters.read(column.field, Getter.LONG)) throw column.cannot(Getter.LONG.what);
  }

  /** Throws unless getDouble reads the type, even if the column is empty. */
  static void checkDoubles(ColumnImpl column) {
    column.array.checkOpen();
    if (!Getters.read(column.field, Getter.DOUBLE)) throw column.cannot(Getter.DOUBLE.what);
  }

  static long[] longs(ColumnImpl column, long ifNull) {
    column.checkReadable();
    long[] result = new long[column.arraySize()];
    if (column.values.copyTo(result, column.offset)) {
      for (int row = nextNull(column, 0); row < result.length; row = nextNull(column, row + 1)) result[row] = ifNull;
      return result;
    }
    for (int i = 0; i < result.length; i++) {
      result[i] = column.isNullAt(column.offset + i) ? ifNull : column.values.getLong(column.offset + i);
    }
    return result;
  }

  /** Returns the first null row of the bitmap from {@code from} on, or the number of rows. It searches word by word. */
  private static int nextNull(ColumnImpl column, int from) {
    int length = (int) column.length;
    long bitmap = column.validity();
    if (bitmap == 0) return length;
    for (int row = from; row < length; row += Long.SIZE) {
      int left = length - row;
      long at = column.offset + row;
      long nulls = ~(left < Long.SIZE ? Bitmaps.word(bitmap, at, left) : Bitmaps.word(bitmap, at));
      if (nulls != 0) return Math.min(length, row + Long.numberOfTrailingZeros(nulls));
    }
    return length;
  }

  static double[] doubles(ColumnImpl column, double ifNull) {
    column.checkReadable();
    double[] result = new double[column.arraySize()];
    if (column.values.copyTo(result, column.offset)) {
      for (int row = nextNull(column, 0); row < result.length; row = nextNull(column, row + 1)) result[row] = ifNull;
      return result;
    }
    for (int i = 0; i < result.length; i++) {
      result[i] = column.isNullAt(column.offset + i) ? ifNull : column.values.getDouble(column.offset + i);
    }
    return result;
  }

  static MemorySegment segment(ColumnImpl column, Arena arena) {
    column.checkReadable();
    MemorySegment raw = column.values.segment(column.offset, column.length);
    DeviceArray held = column.array.retain();
    try {
      return raw.reinterpret(arena, _ -> held.close()).asReadOnly();
    } catch (Throwable t) {
      held.close();
      throw t;
    }
  }
}
