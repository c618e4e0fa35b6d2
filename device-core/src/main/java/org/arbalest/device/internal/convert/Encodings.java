// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.convert;

import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.memory.Integers;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.MalformedException;
import org.arbalest.device.internal.schema.RunEnds;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.NestedType.DictionaryType;
import org.arbalest.device.types.NestedType.RunEndEncodedType;

/**
 * Decodes dictionaries and run-ends into plain values, by a list of the value's position for each row. It also converts
 * run-ends to run-ends.
 */
final class Encodings {
  private Encodings() {}

  /** Decodes a dictionary: one value for each index. */
  static Node decode(ConversionPlan plan, Field from, long struct, Rows rows, Field to) {
    DictionaryType type = (DictionaryType) from.type();
    long dictionary = RawArrowArray.dictionary(struct);
    if (rows.count == 0)
      return plan.measure(type.values(), dictionary, Rows.range(RawArrowArray.offset(dictionary), 0), to);
    plan.look();
    Mask mask = rows.mask(plan, ConversionPlan.bitmap(Layout.of(from), struct));
    long indices = RawArrowArray.buffer(struct, 1);
    long known = RawArrowArray.length(dictionary);
    long offset = RawArrowArray.offset(dictionary);
    long list = plan.list(rows.entries());
    boolean hasNone = false;
    long next = list;
    for (long k = 0; k < rows.count; k = rows.next(k)) {
      long position = -1;
      if (mask.isNull(k)) {
        hasNone = true;
      } else {
        long index = FixedWidth.index(type.index(), indices, rows.at(k));
        if (index < 0 || index >= known) throw new MalformedException(
            "row " + k + ": index " + index + " is beyond the " + known + " values of the dictionary");
        position = offset + index;
      }
      NativeHeap.putLong(next, position);
      next += Long.BYTES;
    }
    return plan.measure(type.values(), dictionary, Rows.decoded(list, rows, hasNone), to);
  }

  private static long valuesOffset(long struct) {
    return RawArrowArray.offset(RawArrowArray.child(struct, 1));
  }

  /** Decodes run-ends: each row gets the value of its run. */
  static Node expand(ConversionPlan plan, Field from, long struct, Rows rows, Field to) {
    Field values = ((RunEndEncodedType) from.type()).values();
    long child = RawArrowArray.child(struct, 1);
    if (rows.count == 0) return plan.measure(values, child, Rows.range(RawArrowArray.offset(child), 0), to);
    plan.look();
    RunEnds runs = RunEnds.of(Layout.of(from), struct);
    long valuesOffset = valuesOffset(struct);
    if (rows.isRange() && !rows.mayBeHidden()) {
      long first = runs.first(rows.start);
      long count = runs.count(first, rows.start, rows.start + rows.count);
      if (2 * count < rows.count) {
        // with more runs, a list of all rows is shorter
        return plan.measure(values, child, byRuns(plan, runs, first, count, valuesOffset, rows), to);
      }
    }
    long list = plan.list(rows.entries());
    fill(runs, valuesOffset, rows, list);
    return plan.measure(values, child, Rows.decoded(list, rows, rows.hasNone), to);
  }

  /**
   * Returns the values of the runs that contain rows. Its memory depends on the number of runs, because a few bytes of
   * runs can describe more rows than fit in memory.
   */
  private static Rows byRuns(ConversionPlan plan, RunEnds runs, long first, long count, long valuesOffset,
      Rows rows) {
    ConversionPlan.requireRoom(rows.count);
    long list = plan.list(count);
    long ends = plan.list(count);
    for (long run = 0; run < count; run++) {
      NativeHeap.putLong(list + Long.BYTES * run, valuesOffset + first + run);
      NativeHeap.putLong(ends + Long.BYTES * run, Math.min(runs.end(first + run) - rows.start, rows.count));
    }
    return Rows.decoded(list, rows, new Spans(ends, count));
  }

  private static void fill(RunEnds runs, long valuesOffset, Rows rows, long list) {
    if (rows.isRange()) {
      long run = runs.first(rows.start);
      for (long k = 0; k < rows.count; run++) {
        long end = Math.min(rows.count, runs.endBehind(run, rows.start + k, rows.start + rows.count) - rows.start);
        for (; k < end; k++) NativeHeap.putLong(list + Long.BYTES * k, valuesOffset + run);
      }
      return;
    }
    long next = list;
    for (long k = 0; k < rows.count; k = rows.next(k)) {
      long at = rows.at(k);
      long run = at < 0 ? -1 : runs.find(at);
      if (run == runs.count()) throw new MalformedException("row " + k + ": there is no run at " + at);
      NativeHeap.putLong(next, at < 0 ? -1 : valuesOffset + run);
      next += Long.BYTES;
    }
  }

  /** Converts run-ends to run-ends: only the visible rows, with the requested width. */
  static void runs(ConversionPlan plan, Node node, Field from, long struct, Rows rows, Field to) {
    long bits = node.layout.children[0].layout.bits;
    if (rows.count > Integers.most(bits, true))
      throw new MalformedException(rows.count + " elements are more than run ends of " + bits + " bits reach");
    if (rows.count == 0) {
      plan.child(node, from, 0, struct, Rows.range(RawArrowArray.offset(RawArrowArray.child(struct, 0)), 0), to,
          0);
      plan.child(node, from, 1, struct, Rows.range(RawArrowArray.offset(RawArrowArray.child(struct, 1)), 0), to,
          1);
      return;
    }
    plan.look();
    RunEnds runs = RunEnds.of(Layout.of(from), struct);
    if (rows.isRange()) {
      cut(plan, node, from, struct, rows, to, runs, bits);
    } else {
      gather(plan, node, from, struct, rows, to, runs, bits);
    }
  }

  private static void cut(ConversionPlan plan, Node node, Field from, long struct, Rows rows, Field to,
      RunEnds runs, long bits) {
    long first = runs.first(rows.start);
    long count = runs.count(first, rows.start, rows.start + rows.count);
    boolean isKept = rows.start == 0 && runs.end(first + count - 1) == rows.count && runs.bits() == bits
        && (!plan.isCompact || count == runs.count());
    addEnds(node, count, isKept ? plan.share(runs.address()) : plan.piece((bits >>> 3) * count, address -> {
      for (long run = 0; run < node.children.getFirst().length; run++) {
        Integers.put(address, bits, run, Math.min(runs.end(first + run) - rows.start, rows.count));
      }
    }));
    plan.child(node, from, 1, struct, Rows.range(valuesOffset(struct) + first, count), to, 1);
  }

  /** Collects run-ends from any positions. Consecutive rows of the same run form one run. */
  private static void gather(ConversionPlan plan, Node node, Field from, long struct, Rows rows, Field to,
      RunEnds runs, long bits) {
    long list = plan.list(rows.entries());
    long ends = plan.list(rows.entries());
    fill(runs, valuesOffset(struct), rows, list);
    long count = 0;
    long next = list;
    for (long k = 0; k < rows.count; k = rows.next(k)) {
      long value = NativeHeap.getLong(next);
      next += Long.BYTES;
      if (count == 0 || NativeHeap.getLong(list + Long.BYTES * (count - 1)) != value)
        NativeHeap.putLong(list + Long.BYTES * count++, value);
      NativeHeap.putLong(ends + Long.BYTES * (count - 1), rows.next(k));
    }
    long all = count;
    addEnds(node, all, plan.piece((bits >>> 3) * all, address -> {
      for (long run = 0; run < all; run++)
        Integers.put(address, bits, run, NativeHeap.getLong(ends + Long.BYTES * run));
    }));
    boolean isHidden = rows.hasNone && rows.exposedNull(0) < 0;
    plan.child(node, from, 1, struct,
        rows.hasNone ? Rows.withNone(list, all, isHidden, rows.isDecoded) : Rows.list(list, all, 0), to, 1);
  }

  private static void addEnds(Node node, long count, Node.Buffer ends) {
    Node child = new Node(node.layout.children[0].layout, count);
    child.buffers.add(Node.Buffer.NONE);
    child.buffers.add(ends);
    node.children.add(child);
  }
}
