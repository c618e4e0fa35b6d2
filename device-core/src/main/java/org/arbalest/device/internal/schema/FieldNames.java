// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.schema;

import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.NestedType.StructType;
import org.arbalest.device.types.NestedType.UnionType;

/**
 * Lookup of fields by name. Names may repeat: a lookup of a repeated name throws and does not return the first field.
 */
public final class FieldNames {
  private static final int SEVERAL = -2;

  private FieldNames() {}

  /**
   * Returns whether the fields of a type are known by their names: those of structs and unions. The names of items, map
   * entries and run-ends are ignored.
   */
  public static boolean count(DataType type) {
    return type instanceof StructType || type instanceof UnionType;
  }

  /**
   * Returns the position of the field with this name, or −1.
   *
   * @param where the owner of the fields, for the error
   * @throws IllegalArgumentException if several fields have this name; the message gives their positions
   */
  public static int indexOf(List<Field> fields, String name, Supplier<String> where) {
    int found = position(fields, name);
    if (found == SEVERAL) throw ambiguous(fields, name, where.get());
    return found;
  }

  /** Returns the position of the only field with this name, −1 if no field has it, or −2 if several have it. */
  public static int position(List<Field> fields, String name) {
    Objects.requireNonNull(name, "name");
    int found = -1;
    for (int i = 0; i < fields.size(); i++) {
      if (!fields.get(i).name().equals(name)) continue;
      if (found >= 0) return SEVERAL;
      found = i;
    }
    return found;
  }

  /** Returns the position of the field with this name, like {@link #indexOf}, and throws if no field has it. */
  public static int find(List<Field> fields, String name, Supplier<String> where) {
    int found = indexOf(fields, name, where);
    if (found >= 0) return found;
    throw new IllegalArgumentException(
        where.get() + " has no field \"" + name + "\"; it has " + fields.stream().map(Field::name).toList());
  }

  public static IllegalArgumentException ambiguous(List<Field> fields, String name, String where) {
    List<Integer> all =
        IntStream.range(0, fields.size()).filter(i -> fields.get(i).name().equals(name)).boxed().toList();
    return new IllegalArgumentException(
        where + " has " + all.size() + " fields \"" + name + "\", at " + all
            + "; ask by the index, or choose by select(int...)");
  }
}
