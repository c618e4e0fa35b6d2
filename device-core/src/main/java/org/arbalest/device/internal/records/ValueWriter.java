package org.arbalest.device.internal.records;

import org.arbalest.device.ColumnBuilder;
import org.arbalest.device.DataType;
import org.arbalest.device.internal.build.Fillers;
import org.jspecify.annotations.Nullable;

/** Appends objects of one class to a column of one type: all of a column at once. */
abstract class ValueWriter {
  /** In place of a value whose owner is null: nobody reads what is appended for it. */
  static final Object ABSENT = new Absent();

  /** For what does not match. */
  static final ValueWriter NONE = new ValueWriter() {
    @Override
    void write(@Nullable Object[] values, int count, ColumnBuilder column) {
      throw new AssertionError("a writer that does not match");
    }
  };

  static boolean isAbsent(@Nullable Object value) {
    return value instanceof Absent;
  }

  private static final class Absent {}

  /** Appends the first values, null or {@link #ABSENT} some of them. */
  abstract void write(@Nullable Object[] values, int count, ColumnBuilder column);

  /** Values of flat types. */
  static final class OfFlat extends ValueWriter {
    private final FlatClass.Append append;
    private final DataType type;

    OfFlat(FlatClass.Append append, DataType type) {
      this.append = append;
      this.type = type;
    }

    @Override
    void write(@Nullable Object[] values, int count, ColumnBuilder column) {
      for (int i = 0; i < count; i++) {
        Object value = values[i];
        if (value == null) {
          column.appendNull();
        } else if (isAbsent(value)) {
          Fillers.append(column);
        } else {
          append.append(column, type, value);
        }
      }
    }
  }
}
