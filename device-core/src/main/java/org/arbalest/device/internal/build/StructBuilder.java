package org.arbalest.device.internal.build;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.arbalest.device.ArrayData;
import org.arbalest.device.ColumnBuilder;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.Field;
import org.arbalest.device.NestedType.StructType;
import org.arbalest.device.internal.schema.FieldNames;
import org.jspecify.annotations.Nullable;

/** Structs. The fields of a null struct are appended like any other, nulls or not. */
final class StructBuilder extends ColumnBuilderImpl {
  private final BuildMemory memory;
  private final int rows;
  private final List<ColumnBuilderImpl> children = new ArrayList<>();
  private final List<Field> fields = new ArrayList<>(); // of the children, for their names

  StructBuilder(BuildMemory memory, Field field, StructType type, int rows) {
    super(memory, field);
    this.memory = memory;
    this.rows = rows;
    for (Field child : type.fields()) add(child);
  }

  @Override
  public ColumnBuilder appendStruct() {
    validity.appendValid(1);
    return this;
  }

  @Override
  public ColumnBuilder child(String name) {
    return children.get(FieldNames.find(fields, name, () -> "column \"" + field.name() + "\""));
  }

  @Override
  public ColumnBuilder child(int index) {
    return children.get(Objects.checkIndex(index, children.size()));
  }

  @Override
  public ColumnBuilder addChild(Field child) {
    return add(Objects.requireNonNull(child, "child"));
  }

  private ColumnBuilder add(Field child) {
    ColumnBuilderImpl added = Builders.of(memory, child, rows);
    children.add(added);
    fields.add(child);
    return added;
  }

  /** With the types of the children as they are now: they, too, may have grown. */
  @Override
  public Field field() {
    StructType type = new StructType(children.stream().map(ColumnBuilder::field).toList());
    return type.equals(field.type()) ? field : field.withType(type);
  }

  /** The fields' values come by their own builders, also for a null struct. */
  @Override
  void writeNull() {}

  @Override
  List<GrowableBuffer> buffers() {
    return List.of();
  }

  @Override
  ArrayData finish() {
    List<ArrayData> data = new ArrayList<>();
    for (ColumnBuilderImpl child : children) {
      if (child.length() != length()) {
        throw new IllegalStateException(
            "column \"" + field.name() + "\" has " + length() + " structs, but its field \"" + child.field.name() + "\" has " + child.length());
      }
      data.add(child.finish());
    }
    List<@Nullable DeviceBuffer> taken = new ArrayList<>();
    taken.add(validity.take());
    return ArrayData.of(length(), validity.nullCount(), taken, data);
  }
}
