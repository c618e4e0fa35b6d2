// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import java.time.OffsetDateTime;
import java.util.List;
import java.util.Objects;
import org.arbalest.device.ArrayData;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.types.Extension.TimestampWithOffset;
import org.arbalest.device.types.Extension.VariableShapeTensor;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.NestedType.StructType;

/** A builder of structs. The caller appends the fields of a null struct, too, as nulls or values. */
final class StructBuilder extends UnsupportedAppends {
  private final Children children;

  StructBuilder(BuildMemory memory, Field field, StructType type, int rows) {
    super(memory, field);
    this.children = new Children(this, type.fields(), rows);
  }

  @Override
  public ColumnBuilder appendStruct() {
    memory.checkOpen(); // a struct writes nothing, so nothing else would check
    validity.appendValid();
    return this;
  }

  @Override
  public ColumnBuilder append(OffsetDateTime value) {
    Objects.requireNonNull(value, NO_VALUE);
    if (!(field.extension() instanceof TimestampWithOffset)) return super.append(value);
    WholeValue.append(this, value, children.get(0), children.get(1));
    return this;
  }

  @Override
  public ColumnBuilder appendTensor(int... shape) {
    if (!(field.extension() instanceof VariableShapeTensor)) return super.appendTensor(shape);
    WholeValue.appendTensor(this, children.get(0), children.get(1), shape);
    return this;
  }

  @Override
  public ColumnBuilder appendNullWithParts() {
    memory.checkOpen();
    checkNullable(length());
    checkLengths();
    checkFillers(1);
    appendFiller();
    return this;
  }

  @Override
  public ColumnBuilder child(String name) {
    return children.get(children.find(name));
  }

  @Override
  public ColumnBuilder child(int index) {
    return children.get(index);
  }

  @Override
  public ColumnBuilder addChild(Field child) {
    return children.add(child);
  }

  /** Returns the field with the current types of the children. */
  @Override
  public Field field() {
    StructType type = new StructType(children.fields());
    return type.equals(field.type()) ? field : field.withType(type);
  }

  /** Writes nothing: the builders of the fields write the values, also of a null struct. */
  @Override
  void writeNull() {}

  @Override
  void writeNulls(long count) {}

  @Override
  void checkFillers(long count) {
    for (ColumnBuilderImpl child : children.builders) {
      if (child.length() != length()) {
        throw new IllegalStateException(
            here() + ": its field \"" + child.field.name() + "\" has " + child.length() + " values, but " + length()
                + " structs come before this one"
                + ofNulls());
      }
      child.checkFillers(count);
    }
  }

  @Override
  void appendFiller() {
    for (ColumnBuilderImpl child : children.builders) child.appendFiller();
    super.appendFiller();
  }

  @Override
  List<ColumnBuilderImpl> parts() {
    return children.builders;
  }

  @Override
  void truncate(long length) {
    validity.truncate(length);
  }

  @Override
  void truncateParts() {
    for (ColumnBuilderImpl child : children.builders) {
      if (child.length() > length()) child.truncate(length());
      child.truncateParts();
    }
  }

  @Override
  void checkComplete() {
    checkLengths();
    for (ColumnBuilderImpl child : children.builders) child.checkComplete();
  }

  void checkLengths() {
    for (ColumnBuilderImpl child : children.builders) {
      if (child.length() != length()) {
        throw new IllegalStateException(
            "column \"" + path() + "\" has " + length() + " structs, but its field \"" + child.field.name() + "\" has "
                + child.length() + ofNulls());
      }
    }
  }

  /** Returns a likely reason why fields have fewer values: the caller did not append those of null structs. */
  private String ofNulls() {
    return validity.nullCount() == 0 ? ""
        : "; append values for null structs too, or use appendNullWithParts()";
  }

  @Override
  long hash(long row) {
    long hash = Hashes.START;
    for (ColumnBuilderImpl child : children.builders) hash = Hashes.mix(hash, child.hashAt(row));
    return hash;
  }

  @Override
  boolean same(long one, long other) {
    for (ColumnBuilderImpl child : children.builders) {
      if (!child.sameAt(one, other)) return false;
    }
    return true;
  }

  @Override
  List<GrowableBuffer> buffers() {
    return List.of();
  }

  @Override
  ArrayData finish() {
    return finish(children.finish());
  }
}
