// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import java.util.ArrayList;
import java.util.List;
import org.arbalest.device.ArrayData;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.NestedType.MapType;
import org.arbalest.device.types.NestedType.StructType;
import org.jspecify.annotations.Nullable;

/** A builder of maps: lists of entries, which are structs without nulls. Keys and values have builders of their own. */
final class MapBuilder extends UnsupportedAppends {
  private final MapType type;
  private final OffsetsBuilder offsets;
  private final ChildSlot keys;
  private final ChildSlot values;

  MapBuilder(BuildMemory memory, Field field, MapType type, int rows) {
    super(memory, field);
    this.type = type;
    this.offsets = new OffsetsBuilder(this, rows);
    this.keys = new ChildSlot(this, type.entries().type().children().get(0), rows);
    this.values = new ChildSlot(this, type.entries().type().children().get(1), rows);
  }

  @Override
  public ColumnBuilder appendMap(int size) {
    if (size < 0) throw new IllegalArgumentException(here() + ": a map of size " + size);
    offsets.append(size);
    validity.appendValid();
    return this;
  }

  @Override
  public ColumnBuilder keys() {
    return keys.builder;
  }

  @Override
  public ColumnBuilder keys(Field key) {
    return keys.replace("key", key.withNullable(false), offsets.last());
  }

  @Override
  public ColumnBuilder values() {
    return values.builder;
  }

  @Override
  public ColumnBuilder values(Field value) {
    return values.replace("value", value, offsets.last());
  }

  /** Returns the field with the current types of keys and values. */
  @Override
  public Field field() {
    Field entries = type.entries().withType(new StructType(List.of(keys.builder.field(), values.builder.field())));
    return entries.equals(type.entries()) ? field : field.withType(new MapType(entries, type.keysSorted()));
  }

  @Override
  String pathOf(String part) {
    return super.pathOf(type.entries().name() + "." + part);
  }

  @Override
  void writeNull() {
    offsets.append(0);
  }

  @Override
  void writeNulls(long count) {
    offsets.appendEmpty(count);
  }

  @Override
  void truncate(long length) {
    validity.truncate(length);
    offsets.truncate(length);
  }

  @Override
  List<ColumnBuilderImpl> parts() {
    return List.of(keys.builder, values.builder);
  }

  @Override
  void truncateParts() {
    keys.truncate(offsets.last());
    values.truncate(offsets.last());
  }

  @Override
  void checkComplete() {
    keys.check("maps", "keys", offsets.last());
    values.check("maps", "values", offsets.last());
  }

  @Override
  long hash(long row) {
    long from = offsets.get(row);
    return Hashes.mix(Hashes.ofAll(keys.builder, from, size(row)), Hashes.ofAll(values.builder, from, size(row)));
  }

  @Override
  boolean same(long one, long other) {
    return size(one) == size(other)
        && Hashes.sameAll(keys.builder, offsets.get(one), offsets.get(other), size(one))
        && Hashes.sameAll(values.builder, offsets.get(one), offsets.get(other), size(one));
  }

  private long size(long row) {
    return offsets.get(row + 1) - offsets.get(row);
  }

  @Override
  List<GrowableBuffer> buffers() {
    return List.of(offsets.buffer());
  }

  @Override
  ArrayData finish() {
    List<@Nullable DeviceBuffer> noValidity = new ArrayList<>();
    noValidity.add(null);
    return finish(
        List.of(ArrayData.of(offsets.last(), 0, noValidity, List.of(keys.builder.finish(), values.builder.finish()))));
  }
}
