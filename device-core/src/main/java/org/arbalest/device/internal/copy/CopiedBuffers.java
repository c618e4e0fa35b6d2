// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.copy;

import java.util.List;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.array.Ownership;
import org.arbalest.device.internal.device.CpuDevice;
import org.arbalest.device.internal.memory.Integers;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.MalformedException;
import org.arbalest.device.internal.schema.ViewStruct;

/** The ranges of a struct's buffers that are copied, and the cells of the copy's struct that point to them. */
final class CopiedBuffers {
  /** Eight zero bytes, for the offsets of an empty array whose producer omitted them (ARR-08). */
  private static final long ZEROES = zeroes();

  private final Ownership owner;
  private final TextEnds ends;
  private final CopyRanges ranges;

  /** The library's own buffers with rewritten offsets. They are freed after the copy. */
  private final List<DeviceBuffer> staging;

  CopiedBuffers(Ownership owner, TextEnds ends, CopyRanges ranges, List<DeviceBuffer> staging) {
    this.owner = owner;
    this.ends = ends;
    this.ranges = ranges;
    this.staging = staging;
  }

  /** Returns whether the CPU may read the source's buffers now. */
  boolean hostReads() {
    return ends.hostReads;
  }

  /**
   * Adds the ranges of some elements of {@code source}, the first {@code hidden} of which are not visible. Writes the
   * other values that the buffers of {@code node} need.
   */
  void add(Layout layout, long source, long node, long begin, long count, long hidden, boolean mayHaveNulls) {
    long cell = RawArrowArray.buffers(node);
    long surplus = Positions.surplus(layout, source);
    if (layout.shape.hasValidity) {
      long validity = RawArrowArray.buffer(source, 0);
      if (validity == 0 || !mayHaveNulls) {
        NativeHeap.putLong(cell, 0);
      } else {
        copyBits(validity, begin, count, 1, cell);
      }
      cell += Long.BYTES;
    }
    switch (layout.shape) {
      case FIXED -> copyBits(RawArrowArray.buffer(source, 1), begin, count, layout.bits, cell);
      case VARIABLE -> copyVariable(layout, source, begin, count, hidden, cell);
      case LIST -> copyOffsets(layout, RawArrowArray.buffer(source, 1), begin, count, cell);
      case VIEW -> copyViews(source, node, begin, count, cell);
      case LIST_VIEW -> {
        copyBits(RawArrowArray.buffer(source, 1), begin, count, layout.bits, cell);
        copyBits(RawArrowArray.buffer(source, 2), begin, count, layout.bits, cell + Long.BYTES);
      }
      case SPARSE_UNION -> copyBits(RawArrowArray.buffer(source, surplus), begin, count, 8, cell);
      case DENSE_UNION -> {
        copyBits(RawArrowArray.buffer(source, surplus), begin, count, 8, cell);
        copyBits(RawArrowArray.buffer(source, surplus + 1), begin, count, 32, cell + Long.BYTES);
      }
      case NULL, FIXED_LIST, STRUCT, RUN_END -> {}
    }
  }

  private void copyBits(long address, long begin, long count, long each, long cell) {
    long first = Math.multiplyExact(begin, each) >>> 3;
    long size = Math.addExact(Math.multiplyExact(count, each), 7) >>> 3;
    ranges.add(address == 0 ? 0 : address + first, address == 0 ? 0 : size, cell);
  }

  /**
   * Copies offsets unchanged. An empty array gets one offset with the value 0, because its producer may have any value
   * or no offsets.
   */
  private void copyOffsets(Layout layout, long offsets, long begin, long count, long cell) {
    if (count == 0) {
      ranges.add(ZEROES, layout.width(), cell, true);
    } else {
      copyBits(offsets, begin, Math.addExact(count, 1), layout.bits, cell);
    }
  }

  private void copyVariable(Layout layout, long source, long begin, long count, long hidden, long cell) {
    long offsets = RawArrowArray.buffer(source, 1);
    long data = RawArrowArray.buffer(source, 2);
    if (count == 0) {
      ranges.add(ZEROES, layout.width(), cell, true);
      addData(data, 0, cell);
      return;
    }
    long first = ends.hostReads ? Positions.offset(layout, offsets, begin + hidden) : 0;
    long last = ends.next(layout, source, begin + count);
    Positions.checkExtent(begin + hidden, begin + count, first, last, owner.dataSize(source), "bytes of data");
    checkLast(layout, source, begin + count, last);
    if (last > first && data == 0)
      throw new MalformedException("the data is NULL, but the offsets say " + (last - first) + " bytes");
    if (!ends.hostReads || (first == 0 && hidden == 0)) {
      copyOffsets(layout, offsets, begin, count, cell);
    } else {
      ranges.add(rebased(layout, offsets, begin, count, hidden, first, last), layout.width() * (count + 1), cell, true);
    }
    addData(data + first, last - first, cell);
  }

  /**
   * Checks an offset against the array's own last offset, which limits the others: a part of the array has no more text
   * than the whole.
   */
  private void checkLast(Layout layout, long source, long at, long offset) {
    long end = Positions.end(source);
    if (at == end) return;
    long most = ends.next(layout, source, end);
    if (offset > most) throw Positions.beyondLast(at, offset, end, most);
  }

  /**
   * Adds the bytes of texts. Stores their number after the list of the buffers, where {@link Ownership#dataSize}
   * expects it.
   */
  private void addData(long data, long size, long cell) {
    ranges.add(data, size, cell + Long.BYTES);
    NativeHeap.putLong(cell + 2 * Long.BYTES, size);
  }

  /**
   * Writes offsets that begin at the first visible text, so that only the visible bytes are copied. The offsets before
   * it are 0.
   */
  private long rebased(Layout layout, long offsets, long begin, long count, long hidden, long first, long last) {
    DeviceBuffer buffer = CpuDevice.get().allocate(Math.multiplyExact(layout.width(), count + 1));
    staging.add(buffer);
    long to = buffer.address();
    for (long i = 0; i < hidden; i++) Integers.put(to, layout.bits, i, 0);
    for (long i = hidden; i <= count; i++) {
      long offset = Positions.offset(layout, offsets, begin + i);
      if (offset < first || offset > last) {
        throw Positions.outside(begin + i, offset, first, last);
      }
      Integers.put(to, layout.bits, i, offset - first);
    }
    return to;
  }

  private void copyViews(long source, long node, long begin, long count, long cell) {
    copyBits(RawArrowArray.buffer(source, 1), begin, count, 128, cell);
    long variadic = ViewStruct.variadic(source);
    long copiedSizes = ViewStruct.sizes(node);
    for (long i = 0; i < variadic; i++) {
      long size = count == 0 ? 0 : ViewStruct.dataSize(source, i);
      NativeHeap.putLong(copiedSizes + Long.BYTES * i, size);
      ranges.add(RawArrowArray.buffer(source, 2 + i), size, cell + Long.BYTES * (1 + i));
    }
  }

  private static long zeroes() {
    long address = NativeHeap.allocate(Long.BYTES);
    NativeHeap.putLong(address, 0);
    return address;
  }
}
