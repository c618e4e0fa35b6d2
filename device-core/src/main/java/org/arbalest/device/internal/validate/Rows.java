// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.validate;

import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.array.Ownership;
import org.arbalest.device.internal.schema.FieldImpl;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.NestedType.MapType;
import org.jspecify.annotations.Nullable;

/** Some elements of one struct, which are to be checked. What is said of a row counts from the first of them. */
final class Rows {
  final Field field;
  final Layout layout;
  final long struct;

  /** Where they begin in the struct's buffers. */
  final long start;

  final long count;

  /** Whether the struct is handed on as it is, and not cut. */
  final boolean isWhole;

  final boolean isNullable;

  /** That which these elements are part of, if their position alone says of which of its rows; else null. */
  final @Nullable Rows parent;

  /** Which child of its parent this is. */
  final int index;

  private Rows(Field field, long struct, long start, long count, boolean isWhole, boolean isNullable,
      @Nullable Rows parent, int index) {
    this.field = field;
    this.layout = Layout.of(field);
    this.struct = struct;
    this.start = start;
    this.count = count;
    this.isWhole = isWhole;
    this.isNullable = isNullable;
    this.parent = parent;
    this.index = index;
  }

  /** What a handle shows, by a field, which may be another of the same type. */
  static Rows of(DeviceArrayImpl array, Ownership held, Field field) {
    long struct = array.struct(held);
    boolean isWhole = array.offset() == RawArrowArray.offset(struct) && array.length() == RawArrowArray.length(struct);
    return new Rows(field, struct, array.offset(), array.length(), isWhole, field.isNullable(), null, 0);
  }

  /** The elements of a child: those that belong to these by their position, or all. */
  Rows child(int child) {
    FieldImpl of = layout.children[child];
    long node = RawArrowArray.child(struct, child);
    boolean mayBeNull = of.isNullable() && !(field.type() instanceof MapType);
    if (!layout.shape.positionsChildren()) {
      return new Rows(of, node, RawArrowArray.offset(node), RawArrowArray.length(node), true, mayBeNull, null, child);
    }
    return new Rows(of, node, RawArrowArray.offset(node) + start * each(), count * each(), isWhole, mayBeNull, this,
        child);
  }

  /** Returns how many elements each row has in a child that its parent positions. */
  long each() {
    return layout.shape.sharesRows() ? 1 : layout.listSize;
  }

  /**
   * All values of a dictionary, which may be null, whatever its field says: the nulls of the field are those of the
   * indices.
   */
  Rows dictionary(Field values) {
    long node = RawArrowArray.dictionary(struct);
    return new Rows(values, node, RawArrowArray.offset(node), RawArrowArray.length(node), true, true, null, 0);
  }

  /** How many buffers an older peer has sent in front of those of the type (ARR-05). */
  long surplus() {
    return layout.shape.hasValidity ? 0 : RawArrowArray.nBuffers(struct) - layout.shape.buffers;
  }
}
