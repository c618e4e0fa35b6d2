// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read;

import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.array.Ownership;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.Layout;
import org.jspecify.annotations.Nullable;

/**
 * Where the bytes of each value of text or binary are, for loops: of offsets two loads and a comparison, of views one
 * load, and for a long value three more. What a peer wrote into offsets and views is checked before it is followed;
 * what is wrong is for {@link Values} to say.
 */
public final class ByteSpans {
  private final ColumnImpl column;

  /** The array's element that is row 0. */
  private final long offset;

  /** The address of the offsets; 0 if all values have the same width, or are views. */
  private final long offsets;

  private final boolean isLarge;

  /** The bytes that each value has if there are no offsets. */
  private final long width;

  private final long data;

  /** Of views, what follows them. */
  private final @Nullable ViewValues views;

  /** How far offsets may lead: to the array's own last one, or to the end of the data, as far as that is known. */
  private final long limit;

  public ByteSpans(ColumnImpl column) {
    Stored.BYTE_STRINGS.check(column);
    Layout layout = Layout.of(column.field);
    boolean hasOffsets = layout.shape == Layout.Shape.VARIABLE;
    this.column = column;
    this.offset = column.offset;
    this.isLarge = layout.bits == Long.SIZE;
    this.width = layout.width();
    this.views = column.values instanceof ViewValues values ? values : null;
    Ownership owner = column.array.share();
    try {
      long struct = column.struct;
      this.offsets = hasOffsets ? RawArrowArray.buffer(struct, 1) : 0;
      this.data = RawArrowArray.buffer(struct, hasOffsets ? 2 : 1);
      long end =
          offsets == 0 || column.length == 0 ? 0 : start(RawArrowArray.offset(struct) + RawArrowArray.length(struct));
      this.limit = end == 0 || data == 0 ? 0 : Math.min(end, owner.dataSize(struct));
    } finally {
      owner.release();
    }
  }

  /** Whether values are views, and so in no one buffer. */
  public boolean isViews() {
    return views != null;
  }

  private long start(long at) {
    return isLarge ? NativeHeap.getLong(offsets + 8 * at) : NativeHeap.getInt(offsets + 4 * at);
  }

  /** The number of a value's bytes. */
  public long size(long row) {
    if (offsets == 0) return views == null ? width : views.checkedSize(offset + row);
    long start = start(offset + row);
    long end = start(offset + row + 1);
    if (start < 0 || end < start || (end > limit && end > start)) throw refused(row);
    return end - start;
  }

  /**
   * Where so many bytes of a value are. That they are there is checked again: a peer may have written into offsets and
   * views meanwhile.
   */
  public long address(long row, long size) {
    if (views != null) return views.address(offset + row, (int) size);
    if (offsets == 0) return data + width * (offset + row);
    long start = start(offset + row);
    if (size != 0 && (start < 0 || start > limit - size)) throw refused(row);
    return data + start;
  }

  /** What is thrown where views are taken for one run of bytes. */
  public IllegalArgumentException inNoSegment() {
    return new IllegalArgumentException(
        column.describe() + " lies in its views and their data buffers, not in one segment");
  }

  private RuntimeException refused(long row) {
    column.values.getBytes(offset + row);
    return new IllegalStateException(column.describe() + " changed while row " + row + " was read");
  }
}
