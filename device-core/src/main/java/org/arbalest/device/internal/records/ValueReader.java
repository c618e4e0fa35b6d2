// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.records;

import org.arbalest.device.internal.read.ColumnImpl;
import org.arbalest.device.objects.ObjectType;
import org.jspecify.annotations.Nullable;

/** Reads the values of one column as objects of one class. Any thread may use it. */
abstract class ValueReader {
  final ColumnImpl column;
  final ObjectType type;
  private final boolean nullable;

  ValueReader(ColumnImpl column, ObjectType type) {
    this.column = column;
    this.type = type;
    this.nullable = type.nullable();
  }

  /** Returns the value of a row, or {@link #none} for a null. Throws for a null if the type is not nullable. */
  final @Nullable Object get(long row) {
    if (!column.isNull(row)) return read(row);
    if (nullable) return none();
    throw Unreadable.ofNull(type);
  }

  /** Returns the object for a null. */
  @Nullable
  Object none() {
    return null;
  }

  /** Returns the value of a row that is not null. */
  abstract Object read(long row);

  /** Reads values with a getter of the column. */
  static final class OfGetter extends ValueReader {
    private final FlatClass.Getter getter;

    OfGetter(ColumnImpl column, ObjectType type, FlatClass.Getter getter) {
      super(column, type);
      this.getter = getter;
    }

    @Override
    Object read(long row) {
      return getter.get(column, row);
    }
  }

  /** Reads values from a dictionary or from runs. */
  static final class OfEncoded extends ValueReader {
    private final ValueReader values;

    OfEncoded(ColumnImpl column, ObjectType type, ValueReader values) {
      super(column, type);
      this.values = values;
    }

    @Override
    Object read(long row) {
      return values.read(column.encodedRow(row));
    }
  }

  /** Reads immutable values from a dictionary or from runs. Each is created once, at its first use. */
  static final class OfEncodedOnce extends ValueReader {
    private final ValueReader values;
    private final @Nullable Object[] known;

    OfEncodedOnce(ColumnImpl column, ObjectType type, ValueReader values) {
      super(column, type);
      this.values = values;
      this.known = new Object[values.column.arraySize()];
    }

    @Override
    Object read(long row) {
      int at = (int) column.encodedRow(row);
      Object value = known[at];
      if (value == null) known[at] = value = values.read(at);
      return value;
    }
  }
}
