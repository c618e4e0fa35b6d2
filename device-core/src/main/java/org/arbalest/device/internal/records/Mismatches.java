// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.records;

import java.util.ArrayList;
import java.util.List;
import org.arbalest.device.types.Field;
import org.arbalest.device.internal.schema.TypeNames;
import org.arbalest.device.objects.ObjectType;

/** All that does not match between a class and a schema; each with the path of the component. */
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

  /** For what is below a component. */
  Mismatches under(String name) {
    return new Mismatches(found, path.isEmpty() ? name : path + "." + name);
  }

  /** For the elements of a list. */
  Mismatches elements(String what) {
    return new Mismatches(found, path + what);
  }

  void add(String what) {
    found.add((path.isEmpty() ? "" : path + ": ") + what);
  }

  /** A component and a column whose types do not go together; {@code hint} says what would. */
  void add(ObjectType type, String cannot, Field field, String hint) {
    add(type + " " + cannot + " " + TypeNames.of(field) + (hint.isEmpty() ? "" : "; " + hint));
  }

  boolean isEmpty() {
    return found.isEmpty();
  }

  /** Throws if there are any. */
  void check(Class<?> type) {
    if (found.isEmpty()) return;
    throw new IllegalArgumentException(
        type.getName() + " and the columns do not match:\n  " + String.join("\n  ", found));
  }
}
