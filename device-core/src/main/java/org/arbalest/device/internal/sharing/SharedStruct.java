// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.sharing;

import java.util.ArrayList;
import java.util.List;
import org.arbalest.device.ArrayData;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.internal.memory.ByteReader;
import org.arbalest.device.internal.memory.ByteWriter;
import org.arbalest.device.internal.schema.FieldImpl;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.MalformedException;
import org.jspecify.annotations.Nullable;

/**
 * One struct of an array: its numbers, and the position of each buffer in an allocation.
 *
 * @param buffers as in {@link ArrayData}: null for a missing buffer
 */
record SharedStruct(long length, long nullCount, long offset, List<@Nullable Extent> buffers,
    List<SharedStruct> children, @Nullable SharedStruct dictionary) {
  private static final int MOST_BUFFERS = 1 << 20;
  private static final int NO_BUFFER = -1;

  /** Some bytes of one of the message's allocations. */
  record Extent(int memory, long offset, long bytes) {}

  void write(ByteWriter out) {
    out.long64(length);
    out.long64(nullCount);
    out.long64(offset);
    out.int32(buffers.size());
    for (Extent extent : buffers) {
      out.int32(extent == null ? NO_BUFFER : extent.memory);
      if (extent == null) continue;
      out.long64(extent.offset);
      out.long64(extent.bytes);
    }
    for (SharedStruct child : children) child.write(out);
    if (dictionary != null) dictionary.write(out);
  }

  /**
   * Reads a struct of a type and the structs below it. Checks that the buffers are within the allocations and have the
   * size that the type needs.
   *
   * @param sizes the sizes of the allocations in bytes
   * @throws MalformedException if a check fails
   */
  static SharedStruct read(Layout layout, ByteReader in, long[] sizes) {
    long length = in.long64("a length");
    long nullCount = in.long64("a null count");
    long offset = in.long64("an offset");
    if (length < 0 || offset < 0 || offset > layout.most - length) {
      throw new MalformedException(
          "offset + length = " + offset + " + " + length + " is negative, or does not fit in memory");
    }
    int count = in.count("the number of buffers", MOST_BUFFERS);
    boolean isView = layout.shape == Layout.Shape.VIEW;
    int expected = isView ? 2 : layout.shape.buffers;
    if (isView ? count < expected : count != expected) {
      throw new MalformedException("there are " + count + " buffers, but an array of type " + layout.kind() + " has "
          + (isView ? "at least " : "") + expected);
    }
    List<@Nullable Extent> buffers = new ArrayList<>();
    for (int i = 0; i < count; i++) buffers.add(extent(in, sizes, i, layout.bufferBytes(i, offset + length)));
    List<SharedStruct> children = new ArrayList<>();
    for (FieldImpl child : layout.children) children.add(below(child.name(), child, in, sizes));
    SharedStruct dictionary =
        layout.dictionary == null ? null : below(MalformedException.DICTIONARY, layout.dictionary, in, sizes);
    return new SharedStruct(length, nullCount, offset, buffers, children, dictionary);
  }

  private static SharedStruct below(String name, FieldImpl field, ByteReader in, long[] sizes) {
    try {
      return read(field.layout, in, sizes);
    } catch (MalformedException e) {
      throw e.under(name);
    }
  }

  private static @Nullable Extent extent(ByteReader in, long[] sizes, int index, long needed) {
    int memory = in.int32("the allocation of a buffer");
    if (memory == NO_BUFFER) return null; // the check of the structure decides whether it may be missing
    if (memory < 0 || memory >= sizes.length)
      throw new MalformedException("buffer " + index + " is in allocation " + memory + ", of " + sizes.length);
    long offset = in.long64("the offset of a buffer");
    long bytes = in.long64("the size of a buffer");
    if (offset < 0 || bytes < 0 || offset > sizes[memory] - bytes) {
      throw new MalformedException(
          "buffer " + index + " has " + bytes + " bytes at " + offset + " of an allocation of " + sizes[memory]);
    }
    if (bytes < needed)
      throw new MalformedException("buffer " + index + " has " + bytes + " bytes, but needs " + needed);
    return new Extent(memory, offset, bytes);
  }

  /**
   * Returns the same struct with buffers, each of them a slice of an allocation. Also adds the slices to {@code taken},
   * and the caller closes them.
   */
  ArrayData data(List<DeviceBuffer> memories, List<DeviceBuffer> taken) {
    List<@Nullable DeviceBuffer> slices = new ArrayList<>();
    for (Extent extent : buffers) {
      DeviceBuffer slice = extent == null ? null : memories.get(extent.memory).slice(extent.offset, extent.bytes);
      slices.add(slice);
      if (slice != null) taken.add(slice);
    }
    List<ArrayData> below = new ArrayList<>();
    for (SharedStruct child : children) below.add(child.data(memories, taken));
    return new ArrayData(length, nullCount, offset, slices, below,
        dictionary == null ? null : dictionary.data(memories, taken));
  }
}
