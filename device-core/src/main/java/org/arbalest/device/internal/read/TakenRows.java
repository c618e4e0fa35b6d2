// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read;

import java.util.Arrays;
import java.util.ConcurrentModificationException;
import java.util.Objects;
import java.util.function.IntToLongFunction;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.columns.Column;
import org.arbalest.device.columns.IntView;
import org.arbalest.device.columns.LongView;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.convert.ArrayRows;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.FlatType.IntType;

/** The indices of rows to take, in Java arrays or a column. See {@link DeviceArray#take(Column)}. */
public final class TakenRows {
  private TakenRows() {}

  /** See {@link DeviceArray#take(long...)}. */
  public static DeviceArray take(DeviceArrayImpl array, long[] rows) {
    return ArrayRows.take(array, new Longs(Objects.requireNonNull(rows, "rows")));
  }

  /** See {@link DeviceArray#take(int...)}. */
  public static DeviceArray take(DeviceArrayImpl array, int[] rows) {
    return ArrayRows.take(array, new Ints(Objects.requireNonNull(rows, "rows")));
  }

  /** See {@link DeviceArray#take(Column)}. */
  public static DeviceArray take(DeviceArrayImpl array, Column rows) {
    ColumnImpl column = ColumnImpl.unwrap(Objects.requireNonNull(rows, "rows"));
    array.checkOpen();
    DataType type = column.field().valueType();
    if (!(type instanceof IntType(int bits, boolean signed)))
      throw new IllegalArgumentException(column.describe() + " has no indices of rows: they are integers");
    if (!column.field().type().equals(type)) return ArrayRows.take(array, new Numbers(column, signed));
    if (bits == Long.SIZE) return ArrayRows.take(array, new LongColumn(column.asLongs(), signed));
    if (bits == Integer.SIZE && signed) return ArrayRows.take(array, new IntColumn(column.asInts()));
    return ArrayRows.take(array, new Numbers(column, signed));
  }

  private static IndexOutOfBoundsException isBeyond(long k, long index, long length) {
    return isBeyond(k, index, true, length);
  }

  private static IndexOutOfBoundsException isBeyond(long k, long index, boolean signed, long length) {
    return new IndexOutOfBoundsException("index " + k + " is row "
        + (signed ? Long.toString(index) : Long.toUnsignedString(index)) + ", but the array has "
        + DeviceArrayImpl.counted(length, "row"));
  }

  private static RuntimeException isBeyond(int count, IntToLongFunction rows, long length) {
    for (int k = 0; k < count; k++) {
      long row = rows.applyAsLong(k);
      if (row < 0 || row >= length) return isBeyond(k, row, length);
    }
    return new ConcurrentModificationException("the indices of rows changed during the call");
  }

  @SuppressWarnings("ArrayRecordComponent") // not compared
  private record Longs(long[] rows) implements ArrayRows.Indices {
    @Override
    public long count() {
      return rows.length;
    }

    @Override
    public boolean write(long to, boolean areInts, long length) {
      long wrong = 0;
      for (int k = 0; k < rows.length; k++) {
        long row = rows[k];
        wrong |= row | (length - 1 - row);
        ArrayRows.put(to, areInts, k, row);
      }
      if (wrong < 0) throw isBeyond(rows.length, k -> rows[k], length);
      return false;
    }
  }

  @SuppressWarnings("ArrayRecordComponent") // not compared
  private record Ints(int[] rows) implements ArrayRows.Indices {
    @Override
    public long count() {
      return rows.length;
    }

    @Override
    public boolean write(long to, boolean areInts, long length) {
      if (!areInts) return new Longs(Arrays.stream(rows).asLongStream().toArray()).write(to, false, length);
      if (writeInts(to, (int) (length - 1)) < 0) throw isBeyond(rows.length, k -> rows[k], length);
      return false;
    }

    /** Returns a negative number if a row is beyond the last. The JIT vectorizes this loop. */
    private int writeInts(long to, int last) {
      int wrong = 0;
      for (int k = 0; k < rows.length; k++) {
        int row = rows[k];
        wrong |= row | (last - row);
        NativeHeap.putInt(to + (long) Integer.BYTES * k, row);
      }
      return wrong;
    }
  }

  private record LongColumn(LongView rows, boolean signed) implements ArrayRows.Indices {
    @Override
    public long count() {
      return rows.length();
    }

    @Override
    public boolean write(long to, boolean areInts, long length) {
      boolean hasNull = false;
      for (long k = 0; k < rows.length(); k++) {
        long position = -1;
        if (rows.isNull(k)) {
          hasNull = true;
        } else {
          long row = rows.get(k);
          if (row < 0 || row >= length) throw isBeyond(k, row, signed, length);
          position = row;
        }
        ArrayRows.put(to, areInts, k, position);
      }
      return hasNull;
    }
  }

  private record IntColumn(IntView rows) implements ArrayRows.Indices {
    @Override
    public long count() {
      return rows.length();
    }

    @Override
    public boolean write(long to, boolean areInts, long length) {
      boolean hasNull = false;
      for (long k = 0; k < rows.length(); k++) {
        long position = -1;
        if (rows.isNull(k)) {
          hasNull = true;
        } else {
          int row = rows.get(k);
          if (row < 0 || row >= length) throw isBeyond(k, row, length);
          position = row;
        }
        ArrayRows.put(to, areInts, k, position);
      }
      return hasNull;
    }
  }

  /** Integers of any width and encoding. */
  private record Numbers(ColumnImpl rows, boolean signed) implements ArrayRows.Indices {
    @Override
    public long count() {
      return rows.length();
    }

    @Override
    public boolean write(long to, boolean areInts, long length) {
      boolean hasNull = false;
      for (long k = 0; k < rows.length(); k++) {
        long position = -1;
        if (rows.isNull(k)) {
          hasNull = true;
        } else {
          long row = rows.getLong(k);
          if (row < 0 || row >= length) throw isBeyond(k, row, signed, length);
          position = row;
        }
        ArrayRows.put(to, areInts, k, position);
      }
      return hasNull;
    }
  }
}
