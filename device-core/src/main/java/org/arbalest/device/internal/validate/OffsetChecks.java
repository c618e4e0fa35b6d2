// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.validate;

import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.memory.Integers;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.MalformedException;
import org.arbalest.device.types.FlatType.LargeUtf8Type;
import org.arbalest.device.types.FlatType.Utf8Type;

/**
 * Checks of the offsets of text, binary and lists, and of the offsets and sizes of list-views. They must be valid for
 * nulls, too.
 */
final class OffsetChecks {
  private OffsetChecks() {}

  /**
   * Checks text and binary; {@code room} is the size of the data in bytes, or a large number if the size is unknown.
   * With {@code hasValues} it also checks that text is UTF-8.
   */
  static void variable(HostBuffers buffers, Rows rows, long room, boolean hasValues) {
    long offsets = ascending(buffers, rows, Math.min(room, Layout.MOST_BYTES), "bytes of data");
    long first = Integers.get(offsets, rows.layout.bits, 0);
    long size = Integers.get(offsets, rows.layout.bits, rows.count) - first;
    if (size == 0) return;
    long data = RawArrowArray.buffer(rows.struct, 2);
    if (data == 0) throw new MalformedException("the data is NULL, but the offsets say " + size + " bytes");
    boolean isText = rows.field.type() instanceof Utf8Type || rows.field.type() instanceof LargeUtf8Type;
    if (hasValues && isText) TextChecks.check(buffers, rows, offsets, buffers.at(data + first, size));
  }

  static void list(HostBuffers buffers, Rows rows) {
    ascending(buffers, rows, Content.childLength(rows, 0), "elements");
  }

  /**
   * Checks the offsets of the rows and the one after them: they ascend, and lie within the data. The offsets of a slice
   * do not exceed the last offset of the array.
   */
  private static long ascending(HostBuffers buffers, Rows rows, long known, String what) {
    long bits = rows.layout.bits;
    long width = rows.layout.width();
    long all = RawArrowArray.buffer(rows.struct, 1);
    long offsets = buffers.at(all + width * rows.start, width * (rows.count + 1));
    long descent = Scan.descent(offsets, bits, rows.count + 1);
    if (descent == 0) throw new MalformedException("row 0: " + offset(rows, offsets, 0) + " is negative");
    if (descent <= rows.count) {
      throw new MalformedException("row " + (descent - 1) + ": " + offset(rows, offsets, descent) + " is before "
          + offset(rows, offsets, descent - 1));
    }
    long last = Integers.get(offsets, bits, rows.count);
    if (last > known) throw new MalformedException(
        "row " + (rows.count - 1) + ": " + offset(rows, offsets, rows.count) + " is beyond the " + known + " " + what);
    long end = RawArrowArray.offset(rows.struct) + RawArrowArray.length(rows.struct);
    if (rows.start + rows.count == end) return offsets;
    long most = Integers.get(buffers.at(all + width * end, width), bits, 0);
    if (last > most) {
      throw new MalformedException("row " + (rows.count - 1) + ": " + offset(rows, offsets, rows.count)
          + " is beyond the last, offsets[" + end + "] = " + most);
    }
    return offsets;
  }

  private static String offset(Rows rows, long offsets, long element) {
    return "offsets[" + (rows.start + element) + "] = " + Integers.get(offsets, rows.layout.bits, element);
  }

  static void listView(HostBuffers buffers, Rows rows) {
    long bits = rows.layout.bits;
    long offsets = buffers.elements(rows, 1, rows.layout.width());
    long sizes = buffers.elements(rows, 2, rows.layout.width());
    long known = Content.childLength(rows, 0);
    long row = Scan.beyond(offsets, sizes, bits, rows.count, known);
    if (row == rows.count) return;
    String view =
        offset(rows, offsets, row) + " and sizes[" + (rows.start + row) + "] = " + Integers.get(sizes, bits, row);
    throw new MalformedException(
        "row " + row + ": " + view + " lead beyond the " + known + " elements, or are negative");
  }
}
