// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.records;

import java.util.NoSuchElementException;
import org.arbalest.device.objects.ObjectType;

/** A value that a component cannot be; collects the path of the component on its way up. */
final class Unreadable extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean isNull;
  private final String what;
  private String path = "";

  private Unreadable(boolean isNull, String what) {
    super(what, null, false, false);
    this.isNull = isNull;
    this.what = what;
  }

  /** A null in place of what cannot be null. */
  static Unreadable ofNull(ObjectType type) {
    return new Unreadable(true,
        "is null, which " + (type.type().isPrimitive() ? "no " + type + " is" : "this " + type + " cannot be"));
  }

  /** A value of the column's type that the component's does not have. */
  static Unreadable of(String what) {
    return new Unreadable(false, what);
  }

  /** Adds the name of the component that the trouble is in. */
  Unreadable under(String name) {
    path = path.isEmpty() || path.startsWith("[") ? name + path : name + "." + path;
    return this;
  }

  /** Adds the position of the element that the trouble is in. */
  Unreadable at(Object position) {
    path = "[" + position + "]" + (path.isEmpty() || path.startsWith("[") ? path : "." + path);
    return this;
  }

  /** For the user: with the row of the batch. */
  RuntimeException inRow(long row) {
    String message = "row " + row + ": " + (path.isEmpty() ? "it" : path) + " " + what;
    return isNull ? new NoSuchElementException(message) : new IllegalArgumentException(message);
  }
}
