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

/** A range of elements of one struct to check. The rows in messages count from the first of them. */
final class Rows {
  final Field field;
  final Layout layout;
  final long struct;

  /** The position of the first element in the struct's buffers. */
  final long start;

  final long count;

  /** Whether the range has all elements of the struct, and is not a slice. */
  final boolean isWhole;

  final boolean isNullable;

  /** The elements of the parent, if the parent's position alone gives the position of these; otherwise null. */
  final @Nullable Rows parent;

  /** The index of this child in its parent. */
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

  /** Returns the visible elements of a handle, with a field that may be another one of the same type. */
  static Rows of(DeviceArrayImpl array, Ownership held, Field field) {
    long struct = array.struct(held);
    boolean isWhole = array.offset() == RawArrowArray.offset(struct) && array.length() == RawArrowArray.length(struct);
    return new Rows(field, struct, array.offset(), array.length(), isWhole, field.isNullable(), null, 0);
  }

  /** Returns the elements of a child: those at the positions of these elements, or all. */
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

  /** Returns the number of elements per row in a child that its parent positions. */
  long each() {
    return layout.shape.sharesRows() ? 1 : layout.listSize;
  }

  /**
   * Returns all values of a dictionary. They may be null regardless of their field, because the nulls of the column are
   * those of the indices.
   */
  Rows dictionary(Field values) {
    long node = RawArrowArray.dictionary(struct);
    return new Rows(values, node, RawArrowArray.offset(node), RawArrowArray.length(node), true, true, null, 0);
  }

  /** Returns the number of extra buffers that an older producer sends before those of the type (ARR-05). */
  long surplus() {
    return layout.shape.hasValidity ? 0 : RawArrowArray.nBuffers(struct) - layout.shape.buffers;
  }
}
