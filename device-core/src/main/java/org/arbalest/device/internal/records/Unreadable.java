// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.records;

import java.util.NoSuchElementException;
import org.arbalest.device.objects.ObjectType;

/** A value that a component cannot hold. Each caller on the way up adds its component to the path. */
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

  /** Returns the exception for a null in a component that is not nullable. */
  static Unreadable ofNull(ObjectType type) {
    return new Unreadable(true,
        "is null, which " + (type.type().isPrimitive() ? "no " + type + " is" : "this " + type + " cannot be"));
  }

  /** Returns the exception for a value that fits the column's type, but not the component's. */
  static Unreadable of(String what) {
    return new Unreadable(false, what);
  }

  /** Adds the name of the component that contains the error. */
  Unreadable under(String name) {
    path = path.isEmpty() || path.startsWith("[") ? name + path : name + "." + path;
    return this;
  }

  /** Adds the position of the element that contains the error. */
  Unreadable at(Object position) {
    path = "[" + position + "]" + (path.isEmpty() || path.startsWith("[") ? path : "." + path);
    return this;
  }

  /** Returns the exception for the application, with the row of the batch. */
  RuntimeException inRow(long row) {
    String message = "row " + row + ": " + (path.isEmpty() ? "it" : path) + " " + what;
    return isNull ? new NoSuchElementException(message) : new IllegalArgumentException(message);
  }
}
