// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read;

import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.memory.Integers;
import org.arbalest.device.internal.schema.Layout;
import org.jspecify.annotations.Nullable;

/** Reads list-views, whose offsets and sizes are in any order and may overlap. */
final class ListViewValues extends Values {
  private final ColumnImpl column;
  private final long offsets;
  private final long sizes;
  private final long bits;
  private @Nullable ColumnImpl items;

  ListViewValues(ColumnImpl column) {
    super(column.field());
    this.column = column;
    this.offsets = RawArrowArray.buffer(column.struct, 1);
    this.sizes = RawArrowArray.buffer(column.struct, 2);
    this.bits = Layout.of(field).bits;
  }

  @Override
  ColumnImpl getList(long at) {
    ColumnImpl all = items;
    if (all == null) items = all = column.childAt(0);
    long size = Integers.get(sizes, bits, at);
    if (size == 0) return all.range(0, 0); // the offset of an empty list is ignored
    long offset = Integers.get(offsets, bits, at);
    if (size < 0 || offset < 0 || offset > all.length - size) {
      throw column.malformed(at, "offsets[" + at + "] = " + offset + " and sizes[" + at + "] = " + size
          + " lead beyond the " + all.length + " elements");
    }
    return all.range(offset, size);
  }

  @Override
  Object get(long at) {
    return ListValues.toList(this, at, getList(at));
  }
}
