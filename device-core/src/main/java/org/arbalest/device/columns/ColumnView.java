// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.columns;

import java.util.Objects;
import java.util.function.LongConsumer;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.memory.Bitmaps;
import org.arbalest.device.internal.read.ColumnImpl;
import org.arbalest.device.types.Field;

/**
 * A view of a column's values as one primitive type, for loops. Each subclass is final and reads one storage form. The
 * JIT thus compiles a loop over the rows like a loop over a Java array.
 *
 * <pre>{@code
 * LongView price = batch.column("price").asLongs();
 * for (long row = 0; row < price.length(); row++) {
 *   if (!price.isNull(row)) sum += price.get(row);
 * }
 * }</pre>
 *
 * <p>A view is borrowed like the {@link Column}: it is valid while the array's handle is open. Several threads may use
 * it at a time. It copies nothing. A loop is fast if the JIT sees the view: keep it in a local variable, or in a final
 * field of one, and step by one row.
 *
 * <p>A read of a row throws {@link IllegalStateException} after the handle was closed, and
 * {@link IndexOutOfBoundsException} for a row outside the column. It throws {@link java.util.NoSuchElementException}
 * for a null, with the column and the row (READ-50). A copy into a Java array throws {@link IllegalArgumentException}
 * if the rows exceed the size of an array.
 */
public abstract sealed class ColumnView
    permits LongView, IntView, ShortView, ByteView, DoubleView, FloatView, HalfFloatView, BooleanView, ByteStringView {
  final ColumnImpl column;
  final long length;

  /** The array's element that is row 0. */
  final long offset;

  private final DeviceArrayImpl array;

  /** The validity bitmap's address, or 0 without nulls. */
  private final long validity;

  ColumnView(ColumnImpl column) {
    this.column = column;
    this.array = column.array();
    this.length = column.length();
    this.offset = column.offset();
    this.validity = column.validity();
  }

  /** Returns the field of the column. */
  public final Field field() {
    return column.field();
  }

  /** Returns the number of rows. */
  public final long length() {
    return length;
  }

  /** Returns the number of nulls; counts them now if the producer did not. */
  public final long nullCount() {
    return column.nullCount();
  }

  /** Returns whether a row is null. */
  public final boolean isNull(long row) {
    checkRow(row, length);
    array.checkOpen();
    return validity != 0 && !Bitmaps.get(validity, offset + row);
  }

  /**
   * Returns the bits of 64 rows, from a row on: a set bit for a row that is not null. The first row is the lowest bit.
   * Rows beyond the last have no set bit.
   */
  public final long validBits(long row) {
    checkRow(row, length);
    array.checkOpen();
    long left = length - row;
    if (validity == 0) return left < Long.SIZE ? (1L << left) - 1 : -1;
    return word(validity, row);
  }

  /**
   * Returns the first row from a row on that is not null, or −1 if no such row exists. For a loop:
   * {@code for (long row = v.nextValid(0); row >= 0; row = v.nextValid(row + 1))}.
   *
   * @param from the first row to check; it may be the row after the last
   */
  public final long nextValid(long from) {
    checkRow(from, length + 1);
    array.checkOpen();
    if (from < length && (validity == 0 || Bitmaps.get(validity, offset + from))) return from; // the most frequent case
    for (long row = from + 1; row < length; row += Long.SIZE) {
      long bits = validBits(row);
      if (bits != 0) return row + Long.numberOfTrailingZeros(bits);
    }
    return -1;
  }

  /**
   * Calls an action with each row that is not null, in order. A loop with {@link #isNull} is at least as fast. It stays
   * fast after many different actions were used, when the JIT no longer inlines the action.
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

  /** Returns the bits of 64 rows in a bitmap, or of as many rows as remain. */
  final long word(long bitmap, long row) {
    long left = length - row;
    return left < Long.SIZE ? Bitmaps.word(bitmap, offset + row, (int) left) : Bitmaps.word(bitmap, offset + row);
  }

  /**
   * Throws unless a row is below a number. The JIT recognizes {@code checkIndex} and moves it out of loops. This method
   * therefore calls it for the check, and only replaces its exception by one with the column's name.
   */
  final void checkRow(long row, long end) {
    try {
      Objects.checkIndex(row, end);
    } catch (IndexOutOfBoundsException _) {
      throw column.isBeyond(row);
    }
  }

  /** Throws unless a row exists, is not null, and can be read. */
  final void check(long row) {
    checkRow(row, length);
    array.checkOpen();
    if (validity != 0 && !Bitmaps.get(validity, offset + row)) throw column.isNullIn(row);
  }

  /** Returns the number of rows as the size of a Java array; throws unless they fit and can be read. */
  final int arraySize() {
    array.checkOpen();
    return column.arraySize();
  }

  /** Returns the first null row from a row on, or the number of rows without one. */
  final long nextNull(long from) {
    if (validity == 0) return length;
    for (long row = from; row < length; row += Long.SIZE) {
      long nulls = ~validBits(row);
      if (nulls != 0) return Math.min(length, row + Long.numberOfTrailingZeros(nulls));
    }
    return length;
  }

  /** Throws if a row is null. */
  final void checkNoNulls() {
    long row = nextNull(0);
    if (row < length) throw column.isNullIn(row);
  }

  /** Returns the column's name and type, and the number of rows. */
  @Override
  public String toString() {
    return column.toString();
  }
}
