// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.columns;

import java.util.Objects;
import java.util.function.LongConsumer;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.memory.Bitmaps;
import org.arbalest.device.internal.read.ColumnImpl;
import org.arbalest.device.types.Field;

/**
 * The values of a column as one kind of primitive, for loops: what the typed views have in common. Each is a final
 * class that reads what is stored in one way, so that the JIT makes of a loop over the rows what it makes of one over a
 * Java array.
 *
 * <pre>{@code
 * LongView price = batch.column("price").asLongs();
 * for (long row = 0; row < price.length(); row++) {
 *   if (!price.isNull(row)) sum += price.get(row);
 * }
 * }</pre>
 *
 * <p>Borrowed like the {@link Column}: usable while the array's handle is open, by several threads at a time. It copies
 * nothing. A loop is fast if nothing in it hides the view: it is a local variable, or a final field of one, and the
 * loop goes on in steps of one.
 *
 * <p>Reading a row throws {@link IllegalStateException} after the handle was closed, {@link IndexOutOfBoundsException}
 * for a row that is not there, and {@link java.util.NoSuchElementException} for one that is null, with the column and
 * the row (READ-50).
 */
public abstract sealed class ColumnView
    permits LongView, IntView, ShortView, ByteView, DoubleView, FloatView, HalfFloatView, BooleanView, ByteStringView {
  final ColumnImpl column;
  final long length;

  /** The array's element that is row 0. */
  final long offset;

  private final DeviceArrayImpl array;

  /** The bitmap's address, or 0 if there are no nulls. */
  private final long validity;

  ColumnView(ColumnImpl column) {
    this.column = column;
    this.array = column.array();
    this.length = column.length();
    this.offset = column.offset();
    this.validity = column.validity();
  }

  /** The field that the column is of. */
  public final Field field() {
    return column.field();
  }

  /** The number of rows. */
  public final long length() {
    return length;
  }

  /** The number of nulls; counted now if the producer did not. */
  public final long nullCount() {
    return column.nullCount();
  }

  /** Whether a row is null. */
  public final boolean isNull(long row) {
    checkRow(row, length);
    array.checkOpen();
    return validity != 0 && !Bitmaps.get(validity, offset + row);
  }

  /** Which of the 64 rows from one on are not null, the first in the lowest bit. Beyond the last row none is. */
  public final long validBits(long row) {
    checkRow(row, length);
    array.checkOpen();
    long left = length - row;
    if (validity == 0) return left < Long.SIZE ? (1L << left) - 1 : -1;
    return word(validity, row);
  }

  /**
   * The first row that is not null, from one on, or −1 if there is none: {@code for (long row = v.nextValid(0); row >=
   * 0; row = v.nextValid(row + 1))}.
   *
   * @param from may be the row behind the last
   */
  public final long nextValid(long from) {
    checkRow(from, length + 1);
    array.checkOpen();
    if (from < length && (validity == 0 || Bitmaps.get(validity, offset + from))) return from; // as most are
    for (long row = from + 1; row < length; row += Long.SIZE) {
      long bits = validBits(row);
      if (bits != 0) return row + Long.numberOfTrailingZeros(bits);
    }
    return -1;
  }

  /**
   * Calls something with each row that is not null, in order. A loop with {@link #isNull} is at least as fast, and
   * remains so where the JIT does not know the action, as many have been in use.
   */
  public final void forEachValid(LongConsumer action) {
    Objects.requireNonNull(action, "action");
    array.checkOpen();
    if (validity == 0) {
      for (long row = 0; row < length; row++) action.accept(row);
      return;
    }
    for (long first = 0; first < length; first += Long.SIZE) {
      for (long bits = validBits(first); bits != 0; bits &= bits - 1)
        action.accept(first + Long.numberOfTrailingZeros(bits));
    }
  }

  /** 64 rows' bits of a bitmap, or as many as there are rows. */
  final long word(long bitmap, long row) {
    long left = length - row;
    return left < Long.SIZE ? Bitmaps.word(bitmap, offset + row, (int) left) : Bitmaps.word(bitmap, offset + row);
  }

  /**
   * Throws unless a row is below a number. The JIT knows {@code checkIndex}, and takes it out of loops; so it is that
   * which finds out, and its error is only replaced by one that names the column.
   */
  final void checkRow(long row, long end) {
    try {
      Objects.checkIndex(row, end);
    } catch (IndexOutOfBoundsException _) {
      throw column.isBeyond(row);
    }
  }

  /** Throws unless a row is there and not null, and can be read. */
  final void check(long row) {
    checkRow(row, length);
    array.checkOpen();
    if (validity != 0 && !Bitmaps.get(validity, offset + row)) throw column.isNullIn(row);
  }

  /** Throws unless the rows fit a Java array and can be read. */
  final int arraySize() {
    array.checkOpen();
    return column.arraySize();
  }

  /** The first row that is null, from one on, or the number of rows. */
  final long nextNull(long from) {
    if (validity == 0) return length;
    for (long row = from; row < length; row += Long.SIZE) {
      long nulls = ~validBits(row);
      if (nulls != 0) return Math.min(length, row + Long.numberOfTrailingZeros(nulls));
    }
    return length;
  }

  /** Throws if there is a null. */
  final void checkNoNulls() {
    long row = nextNull(0);
    if (row < length) throw column.isNullIn(row);
  }

  /** The column's name and type, and the number of rows. */
  @Override
  public String toString() {
    return column.toString();
  }
}
