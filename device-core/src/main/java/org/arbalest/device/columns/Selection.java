// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.columns;

import java.lang.foreign.MemorySegment;
import java.util.function.DoublePredicate;
import java.util.function.IntPredicate;
import java.util.function.LongPredicate;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.internal.read.SelectionImpl;
import org.jspecify.annotations.Nullable;

/**
 * A choice of rows, one bit for each row of a batch: {@link RecordBatch#filter} keeps these rows.
 *
 * <pre>{@code
 * Selection cheap = Selection.where(batch.column("price").asLongs(), price -> price < 5);
 * Selection sold = Selection.of(batch.column("sold"));
 * try (RecordBatch kept = batch.filter(cheap.and(sold))) {
 *   …
 * }
 * }</pre>
 *
 * <p><b>Ownership.</b> A selection is immutable, and has its own memory on the Java heap: a bit for each row. It does
 * not keep the array that it was made from, and needs no release.
 *
 * <p><b>Threads.</b> Any thread may use it.
 *
 * <p><b>Errors.</b> The methods that create a selection throw the errors of the view or the column that they read, and
 * the exceptions of the predicate. Nothing has to be released then. Selections of different lengths cannot be combined.
 */
public sealed interface Selection permits SelectionImpl {
  /** Selects the rows that are true. A null is not selected. */
  static Selection of(BooleanView rows) {
    return SelectionImpl.of(rows);
  }

  /**
   * Selects the rows that are true, in a column that {@link Column#getBoolean} reads: of bool or
   * {@code arrow.bool8}, also encoded by a dictionary or run-ends. A null is not selected.
   *
   * @throws IllegalArgumentException if the column has other values
   */
  static Selection of(Column rows) {
    return SelectionImpl.of(rows);
  }

  /**
   * Selects the rows whose bits are set in a bitmap, least significant bit first, as in Arrow's buffers. The bits are
   * copied.
   *
   * @param bitmap the memory of the bits; the CPU must be able to read it
   * @param bitOffset the bit of the first row
   * @param length the number of rows
   * @throws IllegalArgumentException if the number of rows is negative
   * @throws IndexOutOfBoundsException if the segment has fewer bits
   */
  static Selection ofBitmap(MemorySegment bitmap, long bitOffset, long length) {
    return SelectionImpl.ofBitmap(bitmap, bitOffset, length);
  }

  /** Selects the rows that are not null and whose value fulfils a condition. */
  static Selection where(LongView values, LongPredicate condition) {
    return SelectionImpl.where(values, condition);
  }

  /** Selects the rows that are not null and whose value fulfils a condition. */
  static Selection where(IntView values, IntPredicate condition) {
    return SelectionImpl.where(values, condition);
  }

  /** Selects the rows that are not null and whose value fulfils a condition. */
  static Selection where(DoubleView values, DoublePredicate condition) {
    return SelectionImpl.where(values, condition);
  }

  /** Selects the rows that are not null and whose value fulfils a condition. */
  static Selection where(FloatView values, DoublePredicate condition) {
    return SelectionImpl.where(values, condition);
  }

  /**
   * Selects the rows that fulfil a condition. The condition reads what it needs of a row, such as several columns, also
   * of types without a method of their own. It is called for null rows as well: getters of numbers throw there, so test
   * {@link Column#isNull} first.
   *
   * @param length the number of rows
   * @param rows the condition, which is called once with each row, in order
   * @throws IllegalArgumentException if the number of rows is negative, or more than an array of words has bits
   */
  static Selection where(long length, LongPredicate rows) {
    return SelectionImpl.where(length, rows);
  }

  /**
   * Selects the rows that both select.
   *
   * @throws IllegalArgumentException if the lengths differ
   */
  Selection and(Selection other);

  /**
   * Selects the rows that at least one of both selects.
   *
   * @throws IllegalArgumentException if the lengths differ
   */
  Selection or(Selection other);

  /** Selects the rows that this does not select. A null that a condition did not select is selected then. */
  Selection not();

  /** Returns the number of rows, selected or not. */
  long length();

  /** Returns the number of selected rows. */
  long count();

  /**
   * Returns whether a row is selected.
   *
   * @throws IndexOutOfBoundsException if the row does not exist
   */
  boolean isSelected(long row);

  /**
   * Returns the bits of 64 rows, from a row on: a set bit for a selected row. The first row is the lowest bit. Rows
   * beyond the last have no set bit.
   *
   * @throws IndexOutOfBoundsException if the row does not exist
   */
  long selectedBits(long row);

  /** Returns whether another selection has the same length and selects the same rows. */
  @Override
  boolean equals(@Nullable Object other);

  @Override
  int hashCode();
}
