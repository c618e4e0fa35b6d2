// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.records;

import org.arbalest.device.internal.read.ColumnImpl;
import org.arbalest.device.objects.ObjectType;
import org.jspecify.annotations.Nullable;

/** Reads the values of one column as objects of one class. For any thread. */
abstract class ValueReader {
  final ColumnImpl column;
  final ObjectType type;
  private final boolean nullable;

  ValueReader(ColumnImpl column, ObjectType type) {
    this.column = column;
    this.type = type;
    this.nullable = type.nullable();
  }

  /** The value of a row, or null if it is null, and may be. */
  final @Nullable Object get(long row) {
    if (!column.isNull(row)) return read(row);
    if (nullable) return none();
    throw Unreadable.ofNull(type);
  }

  /** What a null is. */
  @Nullable
  Object none() {
    return null;
  }

  /** The value of a row that is not null. */
  abstract Object read(long row);

  /** A value as a column's getter has it. */
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

  /** What stands in a dictionary or in run-ends. */
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

  /** Immutable values of a dictionary or of run-ends, each made once, at its first use. */
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
