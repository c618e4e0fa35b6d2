// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.arbalest.device.types.Field;
import org.arbalest.device.internal.schema.TypeNames;

/**
 * The builder of a child of a nested type, such as the elements of a list. The caller may replace its type while it is
 * empty.
 */
final class ChildSlot {
  private final ColumnBuilderImpl whole;
  ColumnBuilderImpl builder;

  /**
   * Former values of {@link #builder}. The caller may still hold one of them, and values appended to it would be lost.
   */
  private final List<ColumnBuilderImpl> replaced = new ArrayList<>(0);

  ChildSlot(ColumnBuilderImpl whole, Field field, long rows) {
    this.whole = whole;
    this.builder = make(field, rows);
  }

  private ColumnBuilderImpl make(Field field, long rows) {
    ColumnBuilderImpl made = Builders.of(whole.memory, field, (int) Math.min(rows, Integer.MAX_VALUE));
    made.above = whole;
    return made;
  }

  /**
   * Replaces the builder by one of another type.
   *
   * <p>{@code what} is the name of the field in errors, and {@code rows} the expected number of values.
   */
  ColumnBuilderImpl replace(String what, Field field, long rows) {
    Objects.requireNonNull(field, what);
    if (builder.length() != 0) {
      throw new IllegalStateException(
          "column \"" + whole.path() + "\": its type cannot change after elements were appended");
    }
    replaced.add(builder);
    builder = make(field, rows);
    return builder;
  }

  /** Throws if the number of values is not {@code needed}, which the parent's rows require. */
  void check(String what, String parts, long needed) {
    long appended = builder.length();
    if (appended != needed) {
      throw new IllegalStateException(
          "column \"" + whole.path() + "\": the " + what + " have " + needed + " " + parts + ", but " + appended
              + " were appended");
    }
    checkComplete();
  }

  /** Throws if a value is incomplete, or if values were appended to a replaced builder. */
  void checkComplete() {
    for (ColumnBuilderImpl held : replaced) {
      if (!isEmpty(held)) {
        String lost = "values were appended to \"" + held.field.name() + "\" of type " + TypeNames.of(held.field);
        String why = ", whose builder was replaced when its type was set; use the builder that this call returned";
        throw new IllegalStateException("column \"" + whole.path() + "\": " + lost + why);
      }
    }
    builder.checkComplete();
  }

  private static boolean isEmpty(ColumnBuilderImpl held) {
    return held.length() == 0 && held.parts().stream().allMatch(ChildSlot::isEmpty);
  }

  /** Removes the values from index {@code length} on, and the unused values of nested children. */
  void truncate(long length) {
    if (builder.length() > length) builder.truncate(length);
    builder.truncateParts();
  }
}
