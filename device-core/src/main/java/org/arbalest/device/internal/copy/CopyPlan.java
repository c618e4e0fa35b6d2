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
 * What a copy of an array in one allocation is made of: the structs that describe it, and the ranges of memory to be copied.
 *
 * <p>An array's own elements are copied from the first that is shown, but for up to seven more where a bitmap is copied, whose first byte may
 * begin with them; so are the fields of structs. What stands in those seven is nobody's business: offsets of them are not looked at. The elements of lists are copied whole, since which of them are shown is known to the device
 * only. Of an array without elements nothing is read, and its copy begins at 0, children alike (ARR-19); only a dictionary stays.
 */
final class CopyPlan {
  private final Ownership owner;
  private final List<DeviceBuffer> staging;

  /** The offsets that {@link #write} needs; what must be fetched of them is known once it was measured. */
  final TextEnds ends;

  final CopyRanges ranges = new CopyRanges();
  private int nodes;
  private long entries;
  private @Nullable StructBlock block;

  /**
   * An empty plan.
   *
   * @param owner knows how large the buffers are, if anybody does
   * @param hostReads whether the CPU may read the source's buffers, now
   * @param staging where buffers that the copies need are added
   */
  CopyPlan(Ownership owner, boolean hostReads, List<DeviceBuffer> staging) {
    this.owner = owner;
    this.ends = new TextEnds(hostReads);
    this.staging = staging;
  }

  /** Counts the structs, and finds out which offsets must be known. */
  void measure(Field field, long source, long start, long length) {
    Layout layout = Layout.of(field);
    checked(() -> measure(layout, source, Window.of(layout, source, start, length, 0)));
  }

  /** Writes the structs, and lists the ranges. The caller frees {@link #block}, also on failure. */
  void write(Field field, long source, long start, long length) {
    StructBlock structs = new StructBlock(nodes, entries);
    block = structs;
    CopiedBuffers buffers = new CopiedBuffers(owner, ends, ranges, staging);
    Layout layout = Layout.of(field);
    checked(() -> write(structs, buffers, layout, source, Window.of(layout, source, start, length, 0)));
  }

  /** The structs and their lists; the first is the array. 0 before they were written. */
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

  private void measure(Layout layout, long source, Window window) {
    nodes++;
    entries = Math.addExact(entries, StructBlock.entries(layout, bufferCount(layout, source)));
    if (layout.shape == Layout.Shape.VARIABLE && window.count() != 0) ends.list(layout, source, window.end());
    for (int i = 0; i < layout.children.length; i++) {
      long child = RawArrowArray.child(source, i);
      try {
        measure(layout.children[i].layout, child, window.below(layout, i, child));
      } catch (MalformedException e) {
        throw e.under(layout.children[i].name());
      }
    }
    Field dictionary = layout.dictionary;
    if (dictionary != null) {
      long values = RawArrowArray.dictionary(source);
      measure(Layout.of(dictionary), values, Window.all(Layout.of(dictionary), values));
    }
  }

  private static long write(StructBlock block, CopiedBuffers buffers, Layout layout, long source, Window window) {
    long nulls = nullCount(layout, source, window);
    long offset = layout.shape == Layout.Shape.RUN_END ? window.start() : window.skip();
    long node = block.node(layout, window.length(), nulls, offset, bufferCount(layout, source));
    buffers.add(layout, source, node, window, nulls != 0);
    writeChildren(block, buffers, layout, source, node, window);
    return node;
  }

  private static void writeChildren(
      StructBlock block, CopiedBuffers buffers, Layout layout, long source, long node, Window window) {
    for (int i = 0; i < layout.children.length; i++) {
      long child = RawArrowArray.child(source, i);
      try {
        Window below = window.below(layout, i, child);
        RawArrowArray.setChild(node, i, write(block, buffers, layout.children[i].layout, child, below));
      } catch (MalformedException e) {
        throw e.under(layout.children[i].name());
      }
    }
    Field dictionary = layout.dictionary;
    if (dictionary == null) return;
    long values = RawArrowArray.dictionary(source);
    Window all = Window.all(Layout.of(dictionary), values);
    RawArrowArray.setDictionary(node, write(block, buffers, Layout.of(dictionary), values, all));
  }

  private static long nullCount(Layout layout, long source, Window window) {
    if (layout.shape == Layout.Shape.NULL || window.count() == 0) return window.length();
    if (!layout.shape.hasValidity || RawArrowArray.buffer(source, 0) == 0) return 0;
    long nulls = RawArrowArray.nullCount(source);
    boolean isWhole = window.start() == RawArrowArray.offset(source) && window.length() == RawArrowArray.length(source);
    return isWhole || nulls == 0 ? nulls : -1;
  }

  private static int bufferCount(Layout layout, long source) {
    return layout.shape == Layout.Shape.VIEW ? Math.toIntExact(2 + ViewStruct.variadic(source)) : layout.shape.buffers;
  }
}
