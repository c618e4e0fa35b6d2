// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read;

import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.array.Ownership;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.Layout;
import org.jspecify.annotations.Nullable;

/**
 * The address and the size of each text or binary value, for loops. With offsets a value needs two loads and a
 * comparison. A view needs one load, and three more for a long value.
 *
 * <p>Offsets and views of a producer are checked before use. {@link Values} throws the error for invalid ones.
 */
public final class ByteSpans {
  private final ColumnImpl column;

  /** The index of row 0 in the array. */
  private final long offset;

  /** The address of the offsets; 0 if all values have the same width, or are views. */
  private final long offsets;

  private final boolean isLarge;

  /** The bytes of each value, if the layout has no offsets. */
  private final long width;

  private final long data;

  /** The reader of views; null for other layouts. */
  private final @Nullable ViewValues views;

  /** The limit of the offsets: the array's last offset, or the size of the data if it is known and smaller. */
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

  /** Returns whether values are views, which do not lie in one buffer. */
  public boolean isViews() {
    return views != null;
  }

  private long start(long at) {
    return isLarge ? NativeHeap.getLong(offsets + 8 * at) : NativeHeap.getInt(offsets + 4 * at);
  }

  /** Returns the size of a value in bytes. */
  public long size(long row) {
    if (offsets == 0) return views == null ? width : views.checkedSize(offset + row);
    long start = start(offset + row);
    long end = start(offset + row + 1);
    if (start < 0 || end < start || (end > limit && end > start)) throw refused(row);
    return end - start;
  }

  /**
   * Returns the address of a value of {@code size} bytes. It checks the bounds again, because a producer may have
   * changed offsets and views since {@link #size}.
   */
  public long address(long row, long size) {
    if (views != null) return views.address(offset + row, (int) size);
    if (offsets == 0) return data + width * (offset + row);
    long start = start(offset + row);
    if (size != 0 && (start < 0 || start > limit - size)) throw refused(row);
    return data + start;
  }

  /** Returns the exception for a caller that needs one segment, although the values are views. */
  public IllegalArgumentException inNoSegment() {
    return new IllegalArgumentException(
        column.describe() + " lies in its views and their data buffers, not in one segment");
  }

  private RuntimeException refused(long row) {
    column.values.getBytes(offset + row);
    return new IllegalStateException(column.describe() + " changed while row " + row + " was read");
  }
}
