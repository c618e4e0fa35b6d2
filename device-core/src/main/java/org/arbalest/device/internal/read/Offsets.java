// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read;

import org.arbalest.device.DeviceException;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.Layout;

/** The offsets of a text, binary or list array. Offsets of a producer are checked before use. */
final class Offsets {
  private final ColumnImpl column;
  private final long address;
  private final boolean isLong;

  Offsets(ColumnImpl column) {
    this.column = column;
    this.address = RawArrowArray.buffer(column.struct, 1);
    this.isLong = Layout.of(column.field()).bits == 64;
  }

  long get(long at) {
    return isLong ? NativeHeap.getLong(address + 8 * at) : NativeHeap.getInt(address + 4 * at);
  }

  /**
   * Returns the number of elements of {@code count} values from {@code at} on; throws unless they lie within
   * {@code limit}.
   *
   * @param start the offset that the caller read at {@code at}; the caller uses this value even if the producer changes
   *     the buffer
   * @param noun the plural of an element, for the error
   */
  long size(long at, long count, long start, long limit, String noun) {
    long end = get(at + count);
    if (start < 0 || end < start) {
      throw malformed(at, "offsets[" + (at + count) + "] = " + end + " is before offsets[" + at + "] = " + start
          + ", or one is negative");
    }
    if (end > limit)
      throw malformed(at, "offsets[" + (at + count) + "] = " + end + " is beyond the " + limit + " " + noun);
    return end - start;
  }

  DeviceException malformed(long at, String what) {
    return column.malformed(at, what);
  }
}
