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
 * A column as Spark reads it: over the memory of the array that is shown, without a copy. It shows one array behind the
 * other, as Spark's contract allows: what was read of the one before by reference, such as text, is then not to be used
 * any more. Whoever shows an array keeps it until the next is shown, or this is closed. By one thread at a time.
 *
 * <p>A row that is not there is an {@link IndexOutOfBoundsException}, so is every row once it is closed.
 */
public abstract class ArrowVector extends ColumnVector {
  private @Nullable Column column;
  private long validity;
  private long offset;
  private int length;

  ArrowVector(DataType type) {
    super(type);
  }

  /** Shows an array of the field that this was made for. */
  public final void show(Column next) {
    length = 0;
    column = next;
    offset = next.offset();
    validity = hasValidity() && next.nullCount() != 0 ? next.bufferAddress(0) : 0;
    onColumn(next);
    length = count(next);
  }

  /** Whether the first buffer is a bitmap of what is valid. */
  boolean hasValidity() {
    return true;
  }

  /** Remembers where the values are. */
  abstract void onColumn(Column next);

  /** The array that is shown, which is borrowed. */
  public final Column column() {
    return Objects.requireNonNull(column, "closed");
  }

  private static int count(Column column) {
    if (column.length() > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "column \"" + column.name() + "\" has " + column.length() + " rows in one batch, where Spark counts to "
              + Integer.MAX_VALUE);
    }
    return (int) column.length();
  }

  /** How many rows there are. */
  final int length() {
    return length;
  }

  /** Where a row is in the buffers. */
  final long at(int row) {
    return offset + Objects.checkIndex(row, length);
  }

  /** Where some rows are in the buffers. */
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
