// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.statistics;

import java.util.List;
import java.util.function.Supplier;
import org.arbalest.device.types.Field;
import org.arbalest.device.internal.schema.FieldNames;

/**
 * The numbers of columns: fields are counted from 0, each before those below it, as a record batch's field nodes are in
 * IPC. A dictionary's values are not counted.
 */
public final class ColumnNumbers {
  private ColumnNumbers() {}

  /** How many numbers a field and those below it take. */
  static int count(Field field) {
    return 1 + count(field.type().children());
  }

  private static int count(List<Field> fields) {
    int count = 0;
    for (Field field : fields) count += count(field);
    return count;
  }

  /**
   * The number of a field.
   *
   * @param path its name, behind those of the fields that it is below
   * @throws IllegalArgumentException if there is none, or several: says which there are
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
