// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read;

import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.Layout;
import org.jspecify.annotations.Nullable;

/**
 * Reads unions, in which each row is a value of one child. Older producers send a bitmap without nulls before the type
 * ids (ARR-05).
 */
final class UnionValues extends Redirected {
  private final Layout layout;
  private final boolean isDense;

  private final long ids;
  private final long offsets;
  private final @Nullable ColumnImpl[] children;

  UnionValues(ColumnImpl column) {
    super(column);
    this.layout = Layout.of(field);
    this.isDense = layout.shape == Layout.Shape.DENSE_UNION;
    long surplus = RawArrowArray.nBuffers(column.struct) - layout.shape.buffers;
    this.ids = RawArrowArray.buffer(column.struct, surplus);
    this.offsets = isDense ? RawArrowArray.buffer(column.struct, surplus + 1) : 0;
    this.children = new ColumnImpl[layout.children.length];
  }

  @Override
  int getTypeId(long at) {
    byte id = NativeHeap.getByte(ids + at);
    child(at, id);
    return id;
  }

  private int child(long at, byte id) {
    int child = layout.childOf(id);
    if (child < 0) throw column.malformed(at, "types[" + at + "] = " + id + " is not a type id of the union");
    return child;
  }

  @Override
  ColumnImpl source(long at) {
    int child = child(at, NativeHeap.getByte(ids + at));
    ColumnImpl values = children[child];
    if (values == null) children[child] = values = column.childAt(child);
    return values;
  }

  @Override
  long row(ColumnImpl values, long at) {
    if (!isDense) return at - column.offset;
    int offset = NativeHeap.getInt(offsets + 4 * at);
    if (offset < 0 || offset >= values.length) {
      throw column.malformed(at, "offsets[" + at + "] = " + offset + " is beyond the " + values.length
          + " elements of \"" + values.name() + "\"");
    }
    return offset;
  }

  @Override
  long getChildRow(long at) {
    return row(source(at), at);
  }
}
