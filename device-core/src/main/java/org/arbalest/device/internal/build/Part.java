package org.arbalest.device.internal.build;

import java.util.Objects;
import org.arbalest.device.Field;

/** The builder of what a nested type is made of, such as a list's elements; of another type, if that is said while it is empty. */
final class Part {
  private final ColumnBuilderImpl whole;
  ColumnBuilderImpl builder;

  Part(ColumnBuilderImpl whole, Field field, long rows) {
    this.whole = whole;
    this.builder = make(field, rows);
  }

  private ColumnBuilderImpl make(Field field, long rows) {
    ColumnBuilderImpl made = Builders.of(whole.memory, field, (int) Math.min(rows, Integer.MAX_VALUE));
    made.above = whole;
    return made;
  }

  /** Replaces the type; what it is called in an error, and how many values to expect. */
  ColumnBuilderImpl replace(String what, Field field, long rows) {
    Objects.requireNonNull(field, what);
    if (builder.length() != 0) {
      throw new IllegalStateException("column \"" + whole.path() + "\": elements were appended, so their type stays");
    }
    builder = make(field, rows);
    return builder;
  }

  /** Throws if there are not as many values as belong to the rows so far. */
  void check(String what, String parts, long needed) {
    long appended = builder.length();
    if (appended != needed) {
      throw new IllegalStateException("column \"" + whole.path() + "\": the " + what + " have " + needed + " " + parts + ", but " + appended + " were appended");
    }
    builder.checkComplete();
  }

  /** Forgets the values from some one on, and what they are made of. */
  void truncate(long length) {
    if (builder.length() > length) builder.truncate(length);
    builder.truncateParts();
  }
}
