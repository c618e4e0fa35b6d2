// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.statistics;

import java.util.List;
import java.util.function.Supplier;
import org.arbalest.device.types.Field;
import org.arbalest.device.internal.schema.FieldNames;

/**
 * The numbers of columns. Fields count from 0, each before its descendants, like the field nodes of a record batch in
 * IPC. The values of a dictionary have no number.
 */
public final class ColumnNumbers {
  private ColumnNumbers() {}

  /** Returns how many numbers a field and its descendants take. */
  static int count(Field field) {
    return 1 + count(field.type().children());
  }

  private static int count(List<Field> fields) {
    int count = 0;
    for (Field field : fields) count += count(field);
    return count;
  }

  /**
   * Returns the number of a field.
   *
   * @param path the names of the field's ancestors, then its own
   * @throws IllegalArgumentException if no field or several fields have this path; the message lists the fields
   */
  public static int find(List<Field> fields, List<String> path) {
    if (path.isEmpty()) throw new IllegalArgumentException("a column is found by at least one name");
    int number = -1;
    List<Field> level = fields;
    for (int depth = 0; depth < path.size(); depth++) {
      List<String> above = path.subList(0, depth);
      Supplier<String> where = () -> above.isEmpty() ? "the schema" : "\"" + String.join(".", above) + "\"";
      int at = FieldNames.find(level, path.get(depth), where);
      number += 1 + count(level.subList(0, at));
      level = level.get(at).type().children();
    }
    return number;
  }
}
