// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.records;

import java.util.ArrayList;
import java.util.List;
import org.arbalest.device.types.Field;
import org.arbalest.device.internal.schema.TypeNames;
import org.arbalest.device.objects.ObjectType;

/** All mismatches between a class and a schema, each with the path of its component. */
final class Mismatches {
  private final List<String> found;
  private final String path;

  Mismatches() {
    this(new ArrayList<>(), "");
  }

  private Mismatches(List<String> found, String path) {
    this.found = found;
    this.path = path;
  }

  /** Returns a collector for the parts of a component. */
  Mismatches under(String name) {
    return new Mismatches(found, path.isEmpty() ? name : path + "." + name);
  }

  /** Returns a collector for the elements of a list. */
  Mismatches elements(String what) {
    return new Mismatches(found, path + what);
  }

  void add(String what) {
    found.add((path.isEmpty() ? "" : path + ": ") + what);
  }

  /** Adds a component and a column with incompatible types; {@code hint} names a type that fits. */
  void add(ObjectType type, String cannot, Field field, String hint) {
    add(type + " " + cannot + " " + TypeNames.of(field) + (hint.isEmpty() ? "" : "; " + hint));
  }

  boolean isEmpty() {
    return found.isEmpty();
  }

  /** Throws if any mismatch was found. */
  void check(Class<?> type) {
    if (found.isEmpty()) return;
    throw new IllegalArgumentException(
        type.getName() + " and the columns do not match:\n  " + String.join("\n  ", found));
  }
}
