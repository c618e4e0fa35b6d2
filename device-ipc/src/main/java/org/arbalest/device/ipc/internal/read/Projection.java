// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.read;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.arbalest.device.ipc.internal.schema.IpcField;
import org.arbalest.device.ipc.internal.schema.IpcSchema;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/** A choice of columns to read. Immutable. */
final class Projection {
  final IpcSchema source;

  /** The schema of the chosen columns, and its form as a struct. */
  final Schema schema;

  final Field struct;

  /** The chosen columns in the order of the result. */
  private final List<Choice> columns;

  /** The choice of each column of the source; null for a column that is not chosen. */
  private final @Nullable Choice[] bySource;

  /** The number of choices, also of fields of structs. */
  final int slots;

  private final Set<Long> dictionaries = new HashSet<>();

  /** @param schema a choice of the source's columns, each of which has a name of its own, or all */
  private Projection(IpcSchema source, Schema schema, int[] positions) {
    this.source = source;
    this.schema = schema;
    struct = schema.asField();
    bySource = new Choice[source.columnCount()];
    int[] slots = {0};
    columns = new ArrayList<>(positions.length);
    for (int i = 0; i < positions.length; i++) {
      Choice choice = Choice.of(source.column(positions[i]), schema.fields().get(i), slots);
      bySource[positions[i]] = choice;
      columns.add(choice);
      addDictionaries(choice);
    }
    this.slots = slots[0];
  }

  /**
   * Creates a choice of columns.
   *
   * @param paths as in {@link Schema#select(String...)}; null for all columns
   * @throws IllegalArgumentException if the schema has no field, or several fields, of a path
   */
  static Projection of(IpcSchema source, @Nullable List<String> paths) {
    Schema all = source.schema;
    if (paths == null) return new Projection(source, all, IntStream.range(0, source.columnCount()).toArray());
    Schema schema = all.select(paths.toArray(String[]::new));
    int[] positions = schema.fields().stream().mapToInt(field -> all.indexOf(field.name())).toArray();
    return new Projection(source, schema, positions);
  }

  /** Returns the choice of some columns of this choice. */
  Projection select(int... positions) {
    List<Field> fields = new ArrayList<>(positions.length);
    int[] chosen = new int[positions.length];
    for (int i = 0; i < chosen.length; i++) {
      Choice column = columns.get(positions[i]);
      fields.add(column.field);
      chosen[i] = source.columns().indexOf(column.source);
    }
    return new Projection(source, Schema.of(fields, schema.metadata()), chosen);
  }

  private void addDictionaries(Choice choice) {
    if (choice.fields == null) addDictionaries(choice.source);
    else choice.fields.forEach(this::addDictionaries);
  }

  private void addDictionaries(IpcField field) {
    for (int i = 0; i < field.childCount(); i++) addDictionaries(field.child(i));
    IpcField values = field.values;
    if (values == null) return;
    dictionaries.add(field.dictionaryId);
    addDictionaries(values);
  }

  /** Returns the chosen columns, in the order of the result. */
  List<Choice> columns() {
    return columns;
  }

  /** Returns the choice of a column of the source; null if it is not chosen. */
  @Nullable
  Choice choice(int sourceColumn) {
    return bySource[sourceColumn];
  }

  /** Returns the ids of the dictionaries that the chosen columns need, and these dictionaries themselves. */
  Set<Long> dictionaries() {
    return dictionaries;
  }
}
