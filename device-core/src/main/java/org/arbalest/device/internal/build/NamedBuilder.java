// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import org.arbalest.device.types.Extension.Other;
import org.arbalest.device.types.Field;
import org.arbalest.device.internal.schema.TypeNames;
import org.jspecify.annotations.Nullable;

/**
 * What a column's builder is called in errors: by its path, as readers call the column, its type, and what appends to
 * it.
 */
abstract sealed class NamedBuilder permits ColumnBuilderImpl {
  final Field field;

  /**
   * What this is a part of. The values of a dictionary or of run-ends are known by its name and its rows to who
   * appends.
   */
  @Nullable NamedBuilder above;

  NamedBuilder(Field field) {
    this.field = field;
  }

  /** With its type as it is now. */
  public abstract Field field();

  public abstract long length();

  /** A value that is not one of the type's. */
  final IllegalArgumentException doesNotHold(String value) {
    return doesNotHold(value, "");
  }

  /** The same; {@code hint} says what type does hold it. */
  final IllegalArgumentException doesNotHold(String value, String hint) {
    return refused(value + ", in row " + row(), hint);
  }

  /** That this was called for what the type has nothing of: says what to call. */
  IllegalArgumentException doesNotFit(String what) {
    String why = field.extension() instanceof Other other && other.mismatch() != null ? ": " + other.mismatch() : "";
    return refused(what + why, Appends.to(field));
  }

  final IllegalArgumentException refused(String what, String hint) {
    String message = "column \"" + name() + "\" of type " + TypeNames.of(field()) + " does not hold " + what;
    return new IllegalArgumentException(hint.isEmpty() ? message : message + "; " + hint);
  }

  /** The column and the row that is being appended, for an error. */
  public final String here() {
    return "column \"" + name() + "\", row " + row();
  }

  private String name() {
    return above instanceof EncodedBuilder ? above.name() : path();
  }

  /** The names of the columns down to this one, as readers have them. */
  final String path() {
    return above == null ? field.name() : above.pathOf(field.name());
  }

  String pathOf(String part) {
    String path = path();
    return path.isEmpty() ? part : path + "." + part;
  }

  private long row() {
    return above instanceof EncodedBuilder ? above.row() : length();
  }
}
