// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.flatbuf;

import java.util.ArrayList;
import java.util.List;
import org.arbalest.device.ipc.internal.flatbuf.Slot.Kind;

/**
 * A table of a FlatBuffers schema: its name and its fields. The fields are added in the schema's order, which is the
 * order of the vtable.
 */
final class TableType {
  private final String name;
  private final List<Slot> slots = new ArrayList<>();

  TableType(String name) {
    this.name = name;
  }

  String name() {
    return name;
  }

  int size() {
    return slots.size();
  }

  Slot slot(int index) {
    return slots.get(index);
  }

  TableType scalar(String field, int width) {
    return add(field, Kind.SCALAR, width, List.of());
  }

  TableType string(String field) {
    return add(field, Kind.STRING, 1, List.of());
  }

  /** Adds a vector of scalars or structs that have {@code width} bytes each. */
  TableType vector(String field, int width) {
    return add(field, Kind.VECTOR, width, List.of());
  }

  TableType table(String field, TableType type) {
    return add(field, Kind.TABLE, Integer.BYTES, List.of(type));
  }

  /** Adds a vector of tables. */
  TableType tables(String field, TableType type) {
    return add(field, Kind.TABLES, Integer.BYTES, List.of(type));
  }

  /** Adds the two slots of a union: the type and the table. */
  TableType union(String field, List<TableType> types) {
    return scalar(field + "_type", 1).add(field, Kind.UNION, Integer.BYTES, types);
  }

  /** Adds the two slots of a union that must be present. */
  TableType requiredUnion(String field, List<TableType> types) {
    return scalar(field + "_type", 1).add(field, Kind.REQUIRED_UNION, Integer.BYTES, types);
  }

  private TableType add(String field, Kind kind, int width, List<TableType> types) {
    slots.add(new Slot(field, 4 + 2 * slots.size(), kind, width, types)); // a vtable starts with two sizes
    return this;
  }
}
