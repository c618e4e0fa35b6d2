// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.flatbuf;

import java.util.List;

/**
 * One entry of a table's vtable.
 *
 * @param name the name in Arrow's FlatBuffers schema
 * @param entry the position of the entry in the vtable, in bytes
 * @param width the bytes of a scalar, or of an element of a vector
 * @param tables the tables that the field can have: of a union one for each type from 1 on
 */
record Slot(String name, int entry, Kind kind, int width, List<TableType> tables) {
  enum Kind {
    SCALAR,
    STRING,
    /** A vector of scalars or structs. */
    VECTOR,
    TABLE,
    /** A vector of tables. */
    TABLES,
    /** A table whose type the slot before has. */
    UNION,
    /** A union that must be present. */
    REQUIRED_UNION
  }

  /** Returns the bytes that the field takes in its table: its value, or the offset to it. */
  int inline() {
    return kind == Kind.SCALAR ? width : Integer.BYTES;
  }

  boolean isUnion() {
    return kind == Kind.UNION || kind == Kind.REQUIRED_UNION;
  }
}
