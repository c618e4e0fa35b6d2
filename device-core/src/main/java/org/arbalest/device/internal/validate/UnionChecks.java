// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.validate;

import java.util.Arrays;
import java.util.List;
import org.arbalest.device.types.NestedType.UnionType;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.MalformedException;

/** Checks of the type ids of a union, and of the offsets of a dense union. */
final class UnionChecks {
  private static final int IDS = Byte.MAX_VALUE + 1;

  private final HostBuffers buffers;
  private final Rows rows;

  /** The number of elements of the child for each type id, or −1 for an unknown id. */
  private final long[] lengths = new long[IDS];

  UnionChecks(HostBuffers buffers, Rows rows) {
    this.buffers = buffers;
    this.rows = rows;
    Arrays.fill(lengths, -1);
    List<Integer> ids = ids();
    for (int child = 0; child < ids.size(); child++) lengths[ids.get(child)] = Content.childLength(rows, child);
  }

  private List<Integer> ids() {
    return ((UnionType) rows.field.type()).typeIds();
  }

  void check() {
    long types = buffers.elements(rows, rows.surplus(), 1);
    for (long row = 0; row < rows.count; row++) {
      byte id = NativeHeap.getByte(types + row);
      if (id < 0 || lengths[id] < 0) throw new MalformedException(
          "row " + row + ": types[" + (rows.start + row) + "] = " + id + " is not a type id of the union");
    }
    if (rows.layout.shape == Layout.Shape.DENSE_UNION)
      checkOffsets(types, buffers.elements(rows, rows.surplus() + 1, Integer.BYTES));
  }

  private void checkOffsets(long types, long offsets) {
    int[] last = new int[IDS];
    for (long row = 0; row < rows.count; row++) {
      byte id = NativeHeap.getByte(types + row);
      int offset = NativeHeap.getInt(offsets + Integer.BYTES * row);
      if (offset < last[id] || offset >= lengths[id]) throw wrong(row, id, offset, last[id]);
      last[id] = offset;
    }
  }

  private MalformedException wrong(long row, byte id, int offset, int before) {
    String what = "row " + row + ": offsets[" + (rows.start + row) + "] = " + offset;
    String child = "\"" + rows.layout.children[ids().indexOf((int) id)].name() + "\"";
    if (offset < 0 || offset >= lengths[id])
      return new MalformedException(what + " is beyond the " + lengths[id] + " elements of " + child);
    return new MalformedException(what + " is before " + before + ", which was the last of " + child);
  }
}
