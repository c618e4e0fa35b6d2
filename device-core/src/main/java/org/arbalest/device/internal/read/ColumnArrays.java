package org.arbalest.device.internal.read;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceArray;

/** All rows of a column at once: as a Java array, copied as they are where they are stored as its elements are, or as a segment. */
final class ColumnArrays {
  private ColumnArrays() {}

  static long[] longs(ColumnImpl column, long ifNull) {
    column.checkReadable();
    long[] result = new long[column.arraySize()];
    boolean copied = column.values.copyTo(result, column.offset);
    if (copied && column.validity() == 0) return result;
    for (int i = 0; i < result.length; i++) {
      if (column.isNullAt(column.offset + i)) {
        result[i] = ifNull;
      } else if (!copied) {
        result[i] = column.values.getLong(column.offset + i);
      }
    }
    return result;
  }

  static double[] doubles(ColumnImpl column, double ifNull) {
    column.checkReadable();
    double[] result = new double[column.arraySize()];
    boolean copied = column.values.copyTo(result, column.offset);
    if (copied && column.validity() == 0) return result;
    for (int i = 0; i < result.length; i++) {
      if (column.isNullAt(column.offset + i)) {
        result[i] = ifNull;
      } else if (!copied) {
        result[i] = column.values.getDouble(column.offset + i);
      }
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
