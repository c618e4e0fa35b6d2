// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.arbalest.device.ArrayData;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.types.Field;
import org.arbalest.device.internal.schema.FieldNames;

/** The builders of the children of a struct or a union. */
final class Children {
  private final ColumnBuilderImpl parent;
  private final int rows;
  final List<ColumnBuilderImpl> builders = new ArrayList<>();
  private final List<Field> fields = new ArrayList<>(); // of the children, for their names

  Children(ColumnBuilderImpl parent, List<Field> fields, int rows) {
    this.parent = parent;
    this.rows = rows;
    for (Field child : fields) add(child);
  }

  ColumnBuilderImpl add(Field child) {
    ColumnBuilderImpl added = make(child);
    add(child, added);
    return added;
  }

  /** Creates a builder for a child, and does not add it yet. */
  ColumnBuilderImpl make(Field child) {
    ColumnBuilderImpl made = Builders.of(parent.memory, Objects.requireNonNull(child, "child"), rows);
    made.above = parent;
    return made;
  }

  void add(Field child, ColumnBuilderImpl builder) {
    builders.add(builder);
    fields.add(child);
  }

  /**
   * Throws if a sparse union cannot append {@code count} rows of child {@code chosen}. Each child needs an element for
   * every row so far. All other children must accept fillers for the new rows.
   */
  void checkOthers(int chosen, long count) {
    long row = parent.length();
    for (int child = 0; child < builders.size(); child++) {
      long appended = builders.get(child).length();
      checkBefore(child, row, appended);
      if (child != chosen && appended < row + count) builders.get(child).checkFillers(row + count - appended);
    }
  }

  /**
   * Throws if a sparse union cannot append rows of the given children. Each child needs an element for every row
   * before. All other children must accept a filler for a row.
   */
  void checkRows(int[] chosen) {
    long[] lengths = builders.stream().mapToLong(ColumnBuilder::length).toArray();
    for (int i = 0; i < chosen.length; i++) {
      long row = parent.length() + i;
      for (int child = 0; child < lengths.length; child++) {
        checkBefore(child, row, lengths[child]);
        if (child != chosen[i] && lengths[child] == row) lengths[child]++;
      }
    }
    for (int child = 0; child < lengths.length; child++) {
      long made = lengths[child] - builders.get(child).length();
      if (made > 0) builders.get(child).checkFillers(made);
    }
  }

  private void checkBefore(int child, long row, long appended) {
    if (appended < row) {
      throw new IllegalStateException(
          "column \"" + parent.path() + "\", row " + row + ": child \"" + name(child) + "\" has only " + appended
              + " of the elements before it");
    }
  }

  /** Appends a filler for the next row to every child except one, unless the child already has that element. */
  void fillOthers(int chosen) {
    for (int child = 0; child < builders.size(); child++) {
      if (child != chosen && builders.get(child).length() == parent.length()) builders.get(child).appendFiller();
    }
  }

  int find(String name) {
    return FieldNames.find(fields, name, () -> "column \"" + parent.path() + "\"");
  }

  ColumnBuilderImpl get(int index) {
    return builders.get(Objects.checkIndex(index, builders.size()));
  }

  String name(int index) {
    return fields.get(index).name();
  }

  List<String> names() {
    return fields.stream().map(Field::name).toList();
  }

  /** Returns the current fields of the children, whose types may have grown. */
  List<Field> fields() {
    return builders.stream().map(ColumnBuilder::field).toList();
  }

  List<ArrayData> finish() {
    List<ArrayData> data = new ArrayList<>();
    for (ColumnBuilderImpl child : builders) data.add(child.finish());
    return data;
  }
}
