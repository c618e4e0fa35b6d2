// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.vector;

import java.util.Objects;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarArray;
import org.apache.spark.sql.vectorized.ColumnarMap;
import org.apache.spark.unsafe.types.CalendarInterval;
import org.apache.spark.unsafe.types.UTF8String;
import org.arbalest.device.columns.Column;
import org.jspecify.annotations.Nullable;

/**
 * A column in the form that Spark reads, over the memory of the current array, without a copy.
 *
 * <p>It displays one array after the other, as Spark's contract permits. Values that were read by reference from the
 * array before, such as text, are then invalid. The caller of {@link #show} keeps the array open until it shows the
 * next one, or until this vector is closed.
 *
 * <p>One thread uses a vector at a time.
 *
 * <p>A read of a row that does not exist throws an {@link IndexOutOfBoundsException}, and so does every read after
 * {@link #close}.
 */
public abstract class ArrowVector extends ColumnVector {
  private @Nullable Column column;
  private long validity;
  private long offset;
  private int length;

  ArrowVector(DataType type) {
    super(type);
  }

  /** Displays an array of the field that this vector was made for. */
  public final void show(Column next) {
    length = 0;
    column = next;
    offset = next.offset();
    validity = hasValidity() && next.nullCount() != 0 ? next.bufferAddress(0) : 0;
    onColumn(next);
    length = count(next);
  }

  /** Returns whether the first buffer is a validity bitmap. */
  boolean hasValidity() {
    return true;
  }

  /** Stores the addresses of the values. */
  abstract void onColumn(Column next);

  /**
   * Returns the exception for a value that Spark cannot have.
   *
   * @param what the value, and why
   */
  final ArithmeticException refusal(int row, String what) {
    return new ArithmeticException("column \"" + column().field().name() + "\", row " + row + ": " + what);
  }

  /** Returns the current array, borrowed until the next one. */
  public final Column column() {
    return Objects.requireNonNull(column, "closed");
  }

  private static int count(Column column) {
    if (column.length() > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "column \"" + column.name() + "\" has " + column.length() + " rows in one batch, but Spark counts to "
              + Integer.MAX_VALUE);
    }
    return (int) column.length();
  }

  /** Returns the number of rows. */
  final int length() {
    return length;
  }

  /** Returns the position of a row in the buffers. */
  final long at(int row) {
    return offset + Objects.checkIndex(row, length);
  }

  /** Returns the position of the first of some rows in the buffers. */
  final long at(int row, int count) {
    return offset + Objects.checkFromIndexSize(row, count, length);
  }

  @Override
  public boolean isNullAt(int row) {
    long at = at(row);
    return validity != 0 && !Memory.getBit(validity, at);
  }

  @Override
  public boolean hasNull() {
    return numNulls() != 0;
  }

  @Override
  public int numNulls() {
    return (int) column().nullCount();
  }

  @Override
  public void close() {
    length = 0;
    column = null;
  }

  private UnsupportedOperationException cannot(String what) {
    String name = column == null ? "" : " \"" + column.name() + "\"";
    return new UnsupportedOperationException(
        "column" + name + " of Spark's type " + type.catalogString() + " has no values that are " + what);
  }

  @Override
  public boolean getBoolean(int row) {
    throw cannot("boolean");
  }

  @Override
  public byte getByte(int row) {
    throw cannot("byte");
  }

  @Override
  public short getShort(int row) {
    throw cannot("short");
  }

  @Override
  public int getInt(int row) {
    throw cannot("int");
  }

  @Override
  public long getLong(int row) {
    throw cannot("long");
  }

  @Override
  public float getFloat(int row) {
    throw cannot("float");
  }

  @Override
  public double getDouble(int row) {
    throw cannot("double");
  }

  @Override
  public @Nullable ColumnarArray getArray(int row) {
    throw cannot("arrays");
  }

  @Override
  public @Nullable ColumnarMap getMap(int row) {
    throw cannot("maps");
  }

  @Override
  public @Nullable Decimal getDecimal(int row, int precision, int scale) {
    throw cannot("decimals");
  }

  @Override
  public @Nullable UTF8String getUTF8String(int row) {
    throw cannot("text");
  }

  @Override
  public byte @Nullable [] getBinary(int row) {
    throw cannot("binary");
  }

  @Override
  public @Nullable CalendarInterval getInterval(int row) {
    throw cannot("intervals");
  }

  @Override
  public ColumnVector getChild(int ordinal) {
    throw cannot("structs");
  }
}
