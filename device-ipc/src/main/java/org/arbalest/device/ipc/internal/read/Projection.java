// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.read;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
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

  /** The positions of the chosen columns in the source, in the order of the result. */
  private final int[] columns;

  /** Whether each column of the source is chosen. */
  private final boolean[] isChosen;

  private final Set<Long> dictionaries = new HashSet<>();

  private Projection(IpcSchema source, int[] columns) {
    this.source = source;
    this.columns = columns;
    isChosen = new boolean[source.columnCount()];
    List<Field> fields = new ArrayList<>(columns.length);
    for (int column : columns) {
      isChosen[column] = true;
      fields.add(source.column(column).field);
      addDictionaries(source.column(column));
    }
    boolean isWhole = columns.length == source.columnCount() && isAscending(columns);
    schema = isWhole ? source.schema : Schema.of(fields, source.schema.metadata());
    struct = schema.asField();
  }

  /**
   * Creates a choice of columns.
   *
   * @param names null for all columns
   * @throws IllegalArgumentException if the schema has no column, or several columns, of a name
   */
  static Projection of(IpcSchema source, @Nullable List<String> names) {
    int[] columns = new int[names == null ? source.columnCount() : names.size()];
    for (int i = 0; i < columns.length; i++) columns[i] = names == null ? i : column(source.schema, names.get(i));
    return new Projection(source, columns);
  }

  private static int column(Schema schema, String name) {
    int column = schema.indexOf(name);
    if (column >= 0) return column;
    throw new IllegalArgumentException("no column is named \"" + name + "\"; the columns are "
        + schema.fields().stream().map(Field::name).toList());
  }

  /** Returns the choice of some columns of this choice. */
  Projection select(int... positions) {
    int[] chosen = new int[positions.length];
    for (int i = 0; i < chosen.length; i++) chosen[i] = columns[positions[i]];
    return new Projection(source, chosen);
  }

  private static boolean isAscending(int[] columns) {
    for (int i = 0; i < columns.length; i++) if (columns[i] != i) return false;
    return true;
  }

  private void addDictionaries(IpcField field) {
    for (int i = 0; i < field.childCount(); i++) addDictionaries(field.child(i));
    IpcField values = field.values;
    if (values == null) return;
    dictionaries.add(field.dictionaryId);
    addDictionaries(values);
  }

  int count() {
    return columns.length;
  }

  /** Returns the position in the source of a column of the result. */
  int column(int index) {
    return columns[index];
  }

  boolean isChosen(int sourceColumn) {
    return isChosen[sourceColumn];
  }

  /** Returns the ids of the dictionaries that the chosen columns need, and these dictionaries themselves. */
  Set<Long> dictionaries() {
    return dictionaries;
  }
}
