// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.copy;

import java.util.function.IntToLongFunction;
import org.arbalest.device.internal.memory.Integers;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.Malformed;

/** Texts and lists: offsets that go on where those before end, and what they lead to, as far as it is shown. */
final class ConcatOffsets {
  /** From where to where the offsets of each input lead, where that is in the result, and how much it is of all inputs. */
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

  /** Text and binary. */
  static void variable(ConcatPlan plan, ConcatPlan.Node node, Layout layout, Parts parts) {
    Extents texts = extents(plan, layout, parts, i -> plan.owner(i).dataSize(parts.structs[i]), "bytes of data");
    plan.each(parts, i -> {
      long size = texts.last[i] - texts.first[i];
      if (size > 0 && parts.buffer(i, 2) == 0) throw new Malformed("the data is NULL, but the offsets say " + size + " bytes");
    });
    node.buffers.add(offsets(plan, layout, parts, texts, node.length));
    node.buffers.add(plan.piece(texts.total, to -> plan.each(parts, i -> {
      long size = texts.last[i] - texts.first[i];
      if (size > 0) NativeHeap.copy(parts.buffer(i, 2) + texts.first[i], to + texts.at[i], size);
    })));
  }

  static void list(ConcatPlan plan, ConcatPlan.Node node, Layout layout, Parts parts) {
    Parts items = parts.children(0);
    Extents lists = extents(plan, layout, parts, items::length, "elements");
    plan.each(parts, i -> items.set(i, items.offset(i) + lists.first[i], lists.last[i] - lists.first[i]));
    node.buffers.add(offsets(plan, layout, parts, lists, node.length));
    plan.child(node, layout.children[0], items);
  }

  private static Extents extents(ConcatPlan plan, Layout layout, Parts parts, IntToLongFunction known, String what) {
    Extents found = new Extents(parts.structs.length);
    plan.each(parts, i -> {
      long begin = parts.starts[i];
      long end = begin + parts.counts[i];
      long first = Positions.offset(layout, parts.buffer(i, 1), begin);
      long last = Positions.offset(layout, parts.buffer(i, 1), end);
      Positions.checkExtent(begin, end, first, last, known.applyAsLong(i), what);
      long most = Positions.offset(layout, parts.buffer(i, 1), Positions.end(parts.structs[i]));
      if (last > most) throw Positions.beyondLast(end, last, Positions.end(parts.structs[i]), most);
      found.first[i] = first;
      found.last[i] = last;
      found.at[i] = found.total;
      found.total = reach(layout.bits, found.total, last - first, what);
    });
    return found;
  }

  /** How far offsets must reach, which have so many bits. */
  static long reach(long bits, long before, long more, String what) {
    if (more > Integers.most(bits, true) - before) {
      throw new Malformed(before + " + " + more + " " + what + " are more than offsets of " + bits + " bits reach");
    }
    return before + more;
  }

  private static ConcatPlan.Piece offsets(ConcatPlan plan, Layout layout, Parts parts, Extents extents, long length) {
    return plan.piece(layout.width() * (length + 1), to -> {
      Integers.put(to, layout.bits, 0, 0);
      plan.each(parts, i -> {
        long from = parts.buffer(i, 1);
        long first = extents.first[i];
        for (long k = 1; k <= parts.counts[i]; k++) {
          long offset = Positions.offset(layout, from, parts.starts[i] + k);
          if (offset < first || offset > extents.last[i]) throw Positions.outside(parts.starts[i] + k, offset, first, extents.last[i]);
          Integers.put(to, layout.bits, parts.at[i] + k, offset - first + extents.at[i]);
        }
      });
    });
  }
}
