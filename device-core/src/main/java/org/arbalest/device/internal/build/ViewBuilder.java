// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.Utf8ViewType;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.ViewStruct;
import org.jspecify.annotations.Nullable;

/**
 * A builder of text and binary views. A view stores up to 12 bytes itself; longer values are in shared data buffers.
 */
final class ViewBuilder extends TextBuilder {
  private final GrowableBuffer views;
  private final List<GrowableBuffer> data = new ArrayList<>();

  /** An empty buffer that becomes the next data buffer. */
  private @Nullable GrowableBuffer spare;

  /** The most bytes in a data buffer that holds several values. */
  private int dataSize = 1 << 20;

  ViewBuilder(BuildMemory memory, Field field, int rows) {
    super(memory, field, field.type() instanceof Utf8ViewType);
    this.views = new GrowableBuffer(memory, (long) ViewStruct.SIZE * rows);
  }

  @Override
  public ColumnBuilder append(MemorySegment value) {
    if (Objects.requireNonNull(value, NO_VALUE).byteSize() > Integer.MAX_VALUE)
      throw doesNotHold(value.byteSize() + " bytes (" + Integer.MAX_VALUE + ")");
    int size = (int) value.byteSize();
    if (size <= ViewStruct.INLINE) return writeInline(value, size);
    GrowableBuffer target = room(size);
    long offset = target.size();
    put(target, value);
    return refer(target, (int) offset, size);
  }

  @Override
  public ColumnBuilder viewBufferSize(int bytes) {
    if (bytes < 1) throw new IllegalArgumentException("column \"" + path() + "\": data buffers of " + bytes + " bytes");
    dataSize = bytes;
    return this;
  }

  @Override
  ColumnBuilder write(byte[] bytes) {
    if (bytes.length > ViewStruct.INLINE) {
      GrowableBuffer target = room(bytes.length);
      long offset = target.size();
      target.putBytes(bytes);
      return refer(target, (int) offset, bytes.length);
    }
    long at = views.extend(ViewStruct.SIZE);
    NativeHeap.putLong(at, bytes.length);
    NativeHeap.putLong(at + Long.BYTES, 0);
    NativeHeap.putBytes(ViewStruct.value(at), bytes);
    validity.appendValid();
    return this;
  }

  private ColumnBuilder writeInline(MemorySegment value, int size) {
    long before = views.size();
    views.putInt(size);
    try {
      put(views, value);
    } catch (Throwable t) {
      if (memory.isOpen()) views.truncate(before);
      throw t;
    }
    views.extendWithZeroes(ViewStruct.INLINE - size);
    validity.appendValid();
    return this;
  }

  private ColumnBuilder refer(GrowableBuffer target, int offset, int size) {
    if (data.isEmpty() || data.getLast() != target) {
      if (target == spare) spare = null;
      data.add(target);
    }
    views.putInt(size);
    views.putInt(NativeHeap.getInt(target.address() + offset));
    views.putInt(data.size() - 1);
    views.putInt(offset);
    validity.appendValid();
    return this;
  }

  /** Returns the last data buffer if the value fits, or else another one. */
  private GrowableBuffer room(int size) {
    if (!data.isEmpty() && data.getLast().size() + size <= dataSize) return data.getLast();
    // the first data buffer starts small and grows
    if (spare == null) spare = new GrowableBuffer(memory, data.isEmpty() ? size : Math.max(size, dataSize));
    return spare;
  }

  @Override
  void writeNull() {
    views.extendWithZeroes(ViewStruct.SIZE);
  }

  @Override
  void writeNulls(long count) {
    views.extendWithZeroes(Math.multiplyExact(ViewStruct.SIZE, count));
  }

  @Override
  void truncate(long length) {
    validity.truncate(length);
    for (long row = length; row < views.size() / ViewStruct.SIZE; row++) {
      if (size(row) <= ViewStruct.INLINE) continue;
      int buffer = ViewStruct.buffer(view(row)); // of the first value to remove; all later values are behind it
      int offset = ViewStruct.offset(view(row));
      data.get(buffer).truncate(offset);
      while (data.size() > (offset == 0 ? buffer : buffer + 1)) drop(data.removeLast());
      break;
    }
    views.truncate(length * ViewStruct.SIZE);
  }

  /**
   * Keeps a data buffer for later values, in place of the former spare one. If a caller appends and removes the same
   * value repeatedly, as a dictionary does, one spare buffer is enough.
   */
  private void drop(GrowableBuffer buffer) {
    buffer.truncate(0);
    if (spare != null) memory.free(spare);
    spare = buffer;
  }

  @Override
  long hash(long row) {
    return Hashes.of(bytes(row), size(row));
  }

  @Override
  boolean same(long one, long other) {
    return size(one) == size(other) && Hashes.same(bytes(one), bytes(other), size(one));
  }

  private long view(long row) {
    return views.address() + row * ViewStruct.SIZE;
  }

  private int size(long row) {
    return ViewStruct.size(view(row));
  }

  private long bytes(long row) {
    if (size(row) <= ViewStruct.INLINE) return ViewStruct.value(view(row));
    return data.get(ViewStruct.buffer(view(row))).address() + ViewStruct.offset(view(row));
  }

  @Override
  List<GrowableBuffer> buffers() {
    return List.of(views);
  }

  /** Adds the data buffers with their written part only, because the size of a data buffer is exported. */
  @Override
  void addBuffers(List<@Nullable DeviceBuffer> taken) {
    super.addBuffers(taken);
    for (GrowableBuffer buffer : data) taken.add(buffer.takeWritten());
  }
}
