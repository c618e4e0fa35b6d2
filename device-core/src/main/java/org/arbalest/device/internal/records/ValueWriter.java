// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.records;

import java.util.ArrayList;
import java.util.List;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.NestedType.StructType;
import org.arbalest.device.internal.build.Fillers;
import org.jspecify.annotations.Nullable;

/** Appends objects of one class to a column of one type. One call appends all values of a column. */
abstract class ValueWriter {
  /** Marks a value whose owner is null. The writer appends a filler for it, which no reader sees. */
  static final Object ABSENT = new Absent();

  /** The writer for a mismatch; it is never called. */
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

  /** Appends the first {@code count} values. Some may be null or {@link #ABSENT}. */
  abstract void write(@Nullable Object[] values, int count, ColumnBuilder column);

  /**
   * Returns the default field of these values; with other parameters of its types, if the values are stored exactly
   * only then.
   *
   * @param field the default field
   * @param values the values; those after {@code count} have no meaning
   */
  Field exact(Field field, @Nullable Object[] values, int count) {
    return field;
  }

  /** Returns whether {@link #exact} may return another field. */
  boolean isByValue() {
    return false;
  }

  /** Appends a null; with its parts, if the type is stored as a struct. */
  static void appendNull(ColumnBuilder column, boolean hasParts) {
    if (hasParts) {
      column.appendNullWithParts();
    } else {
      column.appendNull();
    }
  }

  /** Appends values of flat types and of Arrow's extension types. */
  static final class OfFlat extends ValueWriter {
    private final FlatClass.Append append;
    private final @Nullable ExactType exact;
    private final DataType type;
    private final boolean hasParts;

    OfFlat(Class<?> from, FlatClass.Append append, Field field) {
      this.append = append;
      this.exact = ExactType.of(from);
      this.type = field.valueType();
      this.hasParts = field.type() instanceof StructType;
    }

    @Override
    boolean isByValue() {
      return exact != null;
    }

    @Override
    Field exact(Field field, @Nullable Object[] values, int count) {
      if (exact == null) return field;
      List<Object> known = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        Object value = values[i];
        if (value != null && !isAbsent(value)) known.add(value);
      }
      return known.isEmpty() ? field : field.withType(exact.of(field, known));
    }

    @Override
    void write(@Nullable Object[] values, int count, ColumnBuilder column) {
      for (int i = 0; i < count; i++) {
        Object value = values[i];
        if (value == null) {
          appendNull(column, hasParts);
        } else if (isAbsent(value)) {
          Fillers.append(column);
        } else {
          append.append(column, type, value);
        }
      }
    }
  }
}
