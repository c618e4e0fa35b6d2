// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.copy;

import java.util.function.IntToLongFunction;
import org.arbalest.device.internal.memory.Integers;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.MalformedException;

/**
 * Text and list columns. The offsets of an input continue where the previous input's offsets end. Only the visible part
 * of the data is copied.
 */
final class ConcatOffsets {
  /**
   * The range to which the offsets of each input lead, its position in the result, and the total size of all inputs.
   */
  private static final class Extents {
    final long[] first;
    final long[] last;
    final long[] at;
    long total;

    Extents(int inputs) {
      first = new long[inputs];
      last = new long[inputs];
      at = new long[inputs];
    }
  }

  private ConcatOffsets() {}

  /** Measures a text or binary column. */
  static void variable(ConcatPlan plan, ConcatPlan.Node node, Layout layout, ConcatInputs inputs) {
    Extents texts =
        extents(plan, layout, inputs, i -> plan.owner(inputs, i).dataSize(inputs.structs[i]), "bytes of data");
    plan.each(inputs, i -> {
      long size = texts.last[i] - texts.first[i];
      if (size > 0 && inputs.buffer(i, 2) == 0)
        throw new MalformedException("the data is NULL, but the offsets say " + size + " bytes");
    });
    node.buffers.add(offsets(plan, layout, inputs, texts, node.length));
    node.buffers.add(plan.buffer(texts.total, to -> plan.each(inputs, i -> {
      long size = texts.last[i] - texts.first[i];
      if (size > 0) NativeHeap.copy(inputs.buffer(i, 2) + texts.first[i], to + texts.at[i], size);
    })));
  }

  static void list(ConcatPlan plan, ConcatPlan.Node node, Layout layout, ConcatInputs inputs) {
    ConcatInputs items = inputs.children(0);
    Extents lists = extents(plan, layout, inputs, items::length, "elements");
    plan.each(inputs, i -> items.set(i, items.offset(i) + lists.first[i], lists.last[i] - lists.first[i]));
    node.buffers.add(offsets(plan, layout, inputs, lists, node.length));
    plan.child(node, layout.children[0], items);
  }

  private static Extents extents(ConcatPlan plan, Layout layout, ConcatInputs inputs, IntToLongFunction known,
      String what) {
    Extents found = new Extents(inputs.structs.length);
    plan.each(inputs, i -> {
      long begin = inputs.starts[i];
      long end = begin + inputs.counts[i];
      long first = Positions.offset(layout, inputs.buffer(i, 1), begin);
      long last = Positions.offset(layout, inputs.buffer(i, 1), end);
      Positions.checkExtent(begin, end, first, last, known.applyAsLong(i), what);
      long most = Positions.offset(layout, inputs.buffer(i, 1), Positions.end(inputs.structs[i]));
      if (last > most) throw Positions.beyondLast(end, last, Positions.end(inputs.structs[i]), most);
      found.first[i] = first;
      found.last[i] = last;
      found.at[i] = found.total;
      found.total = reach(layout.bits, found.total, last - first, what);
    });
    return found;
  }

  /** Returns the end of the offsets, which must fit a number of bits. */
  static long reach(long bits, long before, long more, String what) {
    if (more > Integers.most(bits, true) - before) {
      throw Positions.beyondOffsets(before + " + " + more + " " + what, bits);
    }
    return before + more;
  }

  private static ConcatPlan.Buffer offsets(ConcatPlan plan, Layout layout, ConcatInputs inputs, Extents extents,
      long length) {
    return plan.buffer(layout.width() * (length + 1), to -> {
      Integers.put(to, layout.bits, 0, 0);
      plan.each(inputs, i -> {
        long from = inputs.buffer(i, 1);
        long first = extents.first[i];
        for (long k = 1; k <= inputs.counts[i]; k++) {
          long offset = Positions.offset(layout, from, inputs.starts[i] + k);
          if (offset < first || offset > extents.last[i])
            throw Positions.outside(inputs.starts[i] + k, offset, first, extents.last[i]);
          Integers.put(to, layout.bits, inputs.at[i] + k, offset - first + extents.at[i]);
        }
      });
    });
  }
}
