package org.arbalest.device.internal.read;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.FlatType.LargeUtf8Type;
import org.arbalest.device.FlatType.Utf8Type;
import org.arbalest.device.abi.ArrowArrayStruct;
import org.arbalest.device.internal.memory.NativeHeap;

/** Text and binary with offsets. */
final class VariableValues extends Values {
  private final Offsets offsets;
  private final long data;
  private final long end;
  private final long room;
  private final boolean isText;

  VariableValues(ColumnImpl column) {
    super(column.field());
    this.offsets = new Offsets(column);
    this.data = ArrowArrayStruct.buffer(column.struct, 2);
    this.end = ArrowArrayStruct.offset(column.struct) + ArrowArrayStruct.length(column.struct);
    this.room = column.dataSize();
    this.isText = field.type() instanceof Utf8Type || field.type() instanceof LargeUtf8Type;
  }

  @Override
  byte[] getBytes(long at) {
    long size = size(at, 1);
    return size == 0 ? new byte[0] : NativeHeap.getBytes(data + offsets.get(at), arrayLength(size));
  }

  /** The bytes of some values: no more than the array has by its own last offset, nor than there are, if that is known. */
  private long size(long at, long count) {
    if (count == 0) return 0; // nothing says that there are offsets (ARR-08)
    long size = offsets.size(at, count, Math.min(offsets.get(end), room));
    if (size > 0 && data == 0) throw offsets.malformed(at, "the data is NULL, but the offsets say " + size + " bytes");
    return size;
  }

  @Override
  String getString(long at) {
    if (!isText) throw cannot("text");
    return new String(getBytes(at), UTF_8);
  }

  @Override
  Object get(long at) {
    return isText ? getString(at) : getBytes(at);
  }

  @Override
  MemorySegment segment(long from, long length) {
    long size = size(from, length);
    return size == 0 ? MemorySegment.NULL : NativeHeap.segment(data + offsets.get(from), size);
  }
}
