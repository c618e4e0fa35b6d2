package org.arbalest.device.internal.read;

import org.arbalest.device.abi.ArrowArrayStruct;
import org.arbalest.device.internal.memory.Bitmaps;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.Layout;
import org.jspecify.annotations.Nullable;

/** Unions: each row is a value of one of the children. Older peers send a bitmap in front of the type ids (ARR-05), whose nulls count. */
final class UnionValues extends Redirected {
  private final Layout layout;
  private final boolean isDense;

  /** The bitmap of an older peer, or 0. */
  private final long legacyValidity;

  private final long ids;
  private final long offsets;
  private final @Nullable ColumnImpl[] children;

  UnionValues(ColumnImpl column) {
    super(column);
    this.layout = Layout.of(field);
    this.isDense = layout.shape == Layout.Shape.DENSE_UNION;
    long surplus = ArrowArrayStruct.nBuffers(column.struct) - layout.shape.buffers;
    boolean hasNulls = surplus > 0 && ArrowArrayStruct.nullCount(column.struct) != 0;
    this.legacyValidity = hasNulls ? ArrowArrayStruct.buffer(column.struct, 0) : 0;
    this.ids = ArrowArrayStruct.buffer(column.struct, surplus);
    this.offsets = isDense ? ArrowArrayStruct.buffer(column.struct, surplus + 1) : 0;
    this.children = new ColumnImpl[layout.children.length];
  }

  @Override
  boolean isNull(long at) {
    return (legacyValidity != 0 && !Bitmaps.get(legacyValidity, at)) || super.isNull(at);
  }

  @Override
  int getTypeId(long at) {
    byte id = NativeHeap.getByte(ids + at);
    child(at, id);
    return id;
  }

  private int child(long at, byte id) {
    int child = layout.childOf(id);
    if (child < 0) throw column.malformed(at, "types[" + at + "] = " + id + " is none of the union's");
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
      throw column.malformed(at, "offsets[" + at + "] = " + offset + " is beyond the " + values.length + " elements of \"" + values.name() + "\"");
    }
    return offset;
  }

  @Override
  long getChildRow(long at) {
    return row(source(at), at);
  }
}
