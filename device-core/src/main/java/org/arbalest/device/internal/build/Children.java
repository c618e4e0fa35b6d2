package org.arbalest.device.internal.build;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.arbalest.device.ArrayData;
import org.arbalest.device.ColumnBuilder;
import org.arbalest.device.Field;
import org.arbalest.device.internal.schema.FieldNames;

/** The builders of a struct's or a union's fields. */
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
    Objects.requireNonNull(child, "child");
    ColumnBuilderImpl added = Builders.of(parent.memory, child, rows);
    builders.add(added);
    fields.add(child);
    return added;
  }

  int find(String name) {
    return FieldNames.find(fields, name, () -> "column \"" + parent.field.name() + "\"");
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

  /** As they are now: they, too, may have grown. */
  List<Field> fields() {
    return builders.stream().map(ColumnBuilder::field).toList();
  }

  List<ArrayData> finish() {
    List<ArrayData> data = new ArrayList<>();
    for (ColumnBuilderImpl child : builders) data.add(child.finish());
    return data;
  }
}
