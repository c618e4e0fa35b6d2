// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import org.arbalest.device.types.Extension.Other;
import org.arbalest.device.types.Field;
import org.arbalest.device.internal.schema.TypeNames;
import org.jspecify.annotations.Nullable;

/** The description of a column in errors: its path, its type, and the methods that append to it. */
abstract sealed class NamedBuilder permits ColumnBuilderImpl {
  final Field field;

  /**
   * The parent of this builder. Errors about the values of a dictionary or of run-ends use the name and the row of the
   * encoded column, because the caller appends to that column.
   */
  @Nullable NamedBuilder above;

  NamedBuilder(Field field) {
    this.field = field;
  }

  /** Returns the field with its current type. */
  public abstract Field field();

  public abstract long length();

  /** Creates the error for a value that the type cannot hold. */
  final IllegalArgumentException doesNotHold(String value) {
    return doesNotHold(value, "");
  }

  /** Creates the error for a value that the type cannot hold; {@code hint} names a type that can. */
  final IllegalArgumentException doesNotHold(String value, String hint) {
    return refused(value + ", in row " + row(), hint);
  }

  /** Creates the error for an append method that does not fit the type; it names the methods that do. */
  IllegalArgumentException doesNotFit(String what) {
    String why = field.extension() instanceof Other other && other.mismatch() != null ? ": " + other.mismatch() : "";
    return refused(what + why, Appends.to(field));
  }

  final IllegalArgumentException refused(String what, String hint) {
    String message = "column \"" + name() + "\" of type " + TypeNames.of(field()) + " does not hold " + what;
    return new IllegalArgumentException(hint.isEmpty() ? message : message + "; " + hint);
  }

  /** Returns the column and the current row, for errors. */
  public final String here() {
    return "column \"" + name() + "\", row " + row();
  }

  private String name() {
    return above instanceof EncodedBuilder ? above.name() : path();
  }

  /** Returns the path of the column, as readers use it: the names of its ancestors and its own. */
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
