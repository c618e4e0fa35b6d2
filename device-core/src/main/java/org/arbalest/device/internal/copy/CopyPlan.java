// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.copy;

import java.util.List;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.DeviceException;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.array.Ownership;
import org.arbalest.device.internal.array.StructBlock;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.MalformedException;
import org.arbalest.device.internal.schema.ViewStruct;
import org.arbalest.device.types.Field;
import org.jspecify.annotations.Nullable;

/**
 * The content of an array's copy in one allocation: the structs that describe the copy, and the ranges of memory to
 * copy.
 *
 * <p>An array's own elements are copied from the first visible one. If a bitmap is copied, up to seven elements before
 * it are copied too, because the bitmap's first byte may begin with them. The same is true for the fields of structs.
 * The values of those seven elements have no meaning, and their offsets are not checked.
 *
 * <p>The elements of lists are copied completely, because only the device knows which of them are visible. Nothing is
 * read from an array without elements: its copy and the copies of its children begin at 0 (ARR-19). Only a dictionary
 * is copied even then.
 */
final class CopyPlan {
  private final Ownership owner;
  private final List<DeviceBuffer> staging;

  /** The offsets that {@link #write} needs. {@link #measure} finds out which of them must be fetched. */
  final TextEnds ends;

  final CopyRanges ranges = new CopyRanges();
  private int nodes;
  private long entries;
  private @Nullable StructBlock block;

  /**
   * Creates an empty plan.
   *
   * @param owner knows the sizes of the buffers, as far as they are known
   * @param hostReads whether the CPU may read the source's buffers now
   * @param staging receives the buffers that the copies need
   */
  CopyPlan(Ownership owner, boolean hostReads, List<DeviceBuffer> staging) {
    this.owner = owner;
    this.ends = new TextEnds(hostReads);
    this.staging = staging;
  }

  /** Counts the structs, and finds the offsets that must be known. */
  void measure(Field field, long source, long start, long length) {
    checked(() -> measure(Layout.of(field), source, start, length));
  }

  /** Writes the structs, and lists the ranges. The caller frees {@link #block}, also after a failure. */
  void write(Field field, long source, long start, long length) {
    StructBlock structs = new StructBlock(nodes, entries);
    block = structs;
    CopiedBuffers buffers = new CopiedBuffers(owner, ends, ranges, staging);
    checked(() -> write(structs, buffers, Layout.of(field), source, start, length, 0));
  }

  /**
   * Returns the address of the structs and their lists, or 0 before they are written. The first struct is the array.
   */
  long block() {
    return block == null ? 0 : block.address;
  }

  private static void checked(Runnable action) {
    try {
      action.run();
    } catch (MalformedException e) {
      throw e.toException();
    } catch (ArithmeticException e) {
      throw DeviceException.invalid("the array's buffers add up to more bytes than a long holds: " + e.getMessage());
    }
  }

  private void measure(Layout layout, long source, long start, long length) {
    nodes++;
    entries = Math.addExact(entries, StructBlock.entries(layout, bufferCount(layout, source)));
    long skip = length == 0 ? 0 : skip(layout, source, start);
    if (layout.shape == Layout.Shape.VARIABLE && length != 0) ends.list(layout, source, start + length);
    for (int i = 0; i < layout.children.length; i++) {
      long child = RawArrowArray.child(source, i);
      try {
        long count = length + skip;
        long childStart = count == 0 ? 0 : Positions.childStart(layout, child, start - skip);
        measure(layout.children[i].layout, child, childStart,
            count == 0 ? 0 : Positions.childLength(layout, child, count));
      } catch (MalformedException e) {
        throw e.under(layout.children[i].name());
      }
    }
    Field dictionary = layout.dictionary;
    if (dictionary != null) {
      long values = RawArrowArray.dictionary(source);
      measure(Layout.of(dictionary), values, RawArrowArray.offset(values), RawArrowArray.length(values));
    }
  }

  /**
   * @param hidden the number of elements from {@code start} on that are copied only because their parent has a bitmap
   */
  private static long write(StructBlock block, CopiedBuffers buffers, Layout layout, long source, long start,
      long length, long hidden) {
    long skip = length == 0 ? 0 : skip(layout, source, start);
    long begin = length == 0 ? 0 : start - skip;
    long count = Math.addExact(length, skip);
    boolean isWhole = start == RawArrowArray.offset(source) && length == RawArrowArray.length(source);
    long nulls = nullCount(layout, source, start, length, isWhole, buffers.hostReads());
    long offset = layout.shape == Layout.Shape.RUN_END && length != 0 ? start : skip;
    long node = block.node(layout, length, nulls, offset, bufferCount(layout, source));
    buffers.add(layout, source, node, begin, count, hidden + skip, nulls != 0);
    writeChildren(block, buffers, layout, source, node, begin, count, hidden + skip);
    return node;
  }

  private static void writeChildren(StructBlock block, CopiedBuffers buffers, Layout layout, long source, long node,
      long begin, long count, long hidden) {
    for (int i = 0; i < layout.children.length; i++) {
      long child = RawArrowArray.child(source, i);
      try {
        long start = count == 0 ? 0 : Positions.childStart(layout, child, begin);
        long length = count == 0 ? 0 : Positions.childLength(layout, child, count);
        RawArrowArray.setChild(node, i, write(block, buffers, layout.children[i].layout, child, start, length,
            Positions.hiddenBelow(layout, hidden)));
      } catch (MalformedException e) {
        throw e.under(layout.children[i].name());
      }
    }
    Field dictionary = layout.dictionary;
    if (dictionary == null) return;
    long values = RawArrowArray.dictionary(source);
    long copy = write(block, buffers, Layout.of(dictionary), values, RawArrowArray.offset(values),
        RawArrowArray.length(values), 0);
    RawArrowArray.setDictionary(node, copy);
  }

  /** Returns the number of elements to copy before the first, so that a bitmap begins with a whole byte. */
  private static long skip(Layout layout, long source, long start) {
    boolean hasBitmap = layout.bits % 8 != 0 || (layout.shape.hasValidity && RawArrowArray.buffer(source, 0) != 0);
    return hasBitmap ? start & 7 : 0;
  }

  /** Returns −1 only if the CPU cannot count, since some peers take that for 0 (ARR-22). */
  private static long nullCount(Layout layout, long source, long start, long length, boolean isWhole,
      boolean hostReads) {
    if (layout.shape == Layout.Shape.NULL) return length;
    if (length == 0) return 0;
    if (!layout.shape.hasValidity || RawArrowArray.buffer(source, 0) == 0) return 0;
    long nulls = RawArrowArray.nullCount(source);
    if (nulls == 0 || (isWhole && nulls > 0)) return nulls;
    return hostReads ? NullCounts.zeroes(RawArrowArray.buffer(source, 0), start, length) : -1;
  }

  private static int bufferCount(Layout layout, long source) {
    return layout.shape == Layout.Shape.VIEW ? Math.toIntExact(2 + ViewStruct.variadic(source)) : layout.shape.buffers;
  }
}
