package org.arbalest.device.internal.read;

import org.arbalest.device.abi.ArrowArrayStruct;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.Layout;

/**
 * Where the bytes of each value of text or binary are, for loops: two loads and a comparison. What a peer wrote into the offsets is checked before it is
 * followed; what is wrong is for {@link Values} to say.
 */
public final class ByteSpans {
  private final ColumnImpl column;

  /** The array's element that is row 0. */
  private final long offset;

  /** The address of the offsets; 0 if all values have the same width. */
  private final long offsets;

  private final boolean isLarge;

  /** The bytes that each value has if there are no offsets. */
  private final long width;

  private final long data;

  /** How far offsets may lead: to the array's own last one, or to the end of the data, as far as that is known. */
  private final long limit;

  public ByteSpans(ColumnImpl column) {
    Stored.BYTE_STRINGS.check(column);
    Layout layout = Layout.of(column.field);
    boolean isFixed = layout.shape == Layout.Shape.FIXED;
    long struct = column.struct;
    this.column = column;
    this.offset = column.offset;
    this.isLarge = layout.bits == Long.SIZE;
    this.width = layout.width();
    this.offsets = isFixed ? 0 : ArrowArrayStruct.buffer(struct, 1);
    this.data = ArrowArrayStruct.buffer(struct, isFixed ? 1 : 2);
    long end = offsets == 0 || column.length == 0 ? 0 : start(ArrowArrayStruct.offset(struct) + ArrowArrayStruct.length(struct));
    this.limit = data == 0 ? 0 : Math.min(end, column.dataSize());
  }

  private long start(long at) {
    return isLarge ? NativeHeap.getLong(offsets + 8 * at) : NativeHeap.getInt(offsets + 4 * at);
  }

  /** The number of a value's bytes. */
  public long size(long row) {
    if (offsets == 0) return width;
    long start = start(offset + row);
    long end = start(offset + row + 1);
    if (start < 0 || end < start || (end > limit && end > start)) throw refused(row);
    return end - start;
  }

  /** Where a value's bytes are, of which there are some. */
  public long address(long row) {
    return offsets == 0 ? data + width * (offset + row) : data + start(offset + row);
  }

  private RuntimeException refused(long row) {
    column.values.getBytes(offset + row);
    throw new AssertionError("offsets changed while they were read");
  }
}
