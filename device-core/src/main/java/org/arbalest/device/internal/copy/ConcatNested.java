// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.copy;

import java.util.Arrays;
import org.arbalest.device.types.Field;
import org.arbalest.device.internal.memory.Integers;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.FieldImpl;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.MalformedException;
import org.arbalest.device.internal.schema.RunEnds;

/**
 * Arrays whose buffers select the children's elements, in any order. From each child, the elements between the first
 * and the last visible one are taken.
 */
final class ConcatNested {
  private ConcatNested() {}

  /** The elements of the lists of one input. */
  private static final class Items {
    private long first = Long.MAX_VALUE;
    private long last;
    private long sum;

    /** Whether the lists' own elements are taken, one list after the other, and not the whole range. */
    private boolean areGathered;

    /** Where the lists' elements begin in the result; for a range, minus its first element. */
    private long base;

    private void add(long offset, long size) {
      first = Math.min(first, offset);
      last = Math.max(last, offset + size);
      sum = size > Long.MAX_VALUE - sum ? Long.MAX_VALUE : sum + size;
    }
  }

  static void listView(ConcatPlan plan, ConcatPlan.Node node, Layout layout, ConcatInputs inputs) {
    ConcatInputs children = inputs.children(0);
    ConcatInputs.Collected taken = new ConcatInputs.Collected();
    Items[] items = new Items[inputs.structs.length];
    long[] total = {0};
    plan.each(inputs, i -> {
      Items own = items(layout, inputs, children, i);
      items[i] = own;
      if (own.last == 0) return;
      own.areGathered = isSpare(layout, inputs, children, i, own);
      own.base = total[0] - (own.areGathered ? 0 : own.first);
      long count = own.areGathered ? own.sum : own.last - own.first;
      total[0] = ConcatOffsets.reach(layout.bits, total[0], count, "elements");
      if (own.areGathered) {
        gather(layout, inputs, children, i, taken);
      } else {
        taken.add(inputs.origins[i], children.structs[i], children.offset(i) + own.first, count);
      }
    });
    node.buffers.add(plan.buffer(layout.width() * node.length, to -> plan.each(inputs, i -> {
      long next = items[i].base;
      for (long k = 0; k < inputs.counts[i]; k++) {
        long size = size(layout, inputs, i, k);
        long offset = size == 0 ? 0
            : items[i].areGathered ? next : offset(layout, inputs, i, k) + items[i].base;
        Integers.put(to, layout.bits, inputs.at[i] + k, offset);
        next += size;
      }
    })));
    node.buffers.add(plan.buffer(layout.width() * node.length, to -> plan.each(inputs, i -> {
      for (long k = 0; k < inputs.counts[i]; k++)
        Integers.put(to, layout.bits, inputs.at[i] + k, size(layout, inputs, i, k));
    })));
    plan.child(node, layout.children[0], taken.isEmpty() ? children : taken.inputs());
  }

  private static Items items(Layout layout, ConcatInputs inputs, ConcatInputs children, int input) {
    Items items = new Items();
    for (long k = 0; k < inputs.counts[input]; k++) {
      long size = size(layout, inputs, input, k);
      if (size == 0) continue;
      long offset = checkedOffset(layout, inputs, children, input, k, size);
      items.add(offset, size);
    }
    return items;
  }

  /** Returns whether the lists use little of the range that contains them. */
  private static boolean isSpare(Layout layout, ConcatInputs inputs, ConcatInputs children, int input, Items items) {
    long range = items.last - items.first;
    if (!SpareMemory.isMost(items.sum, range)) return false;
    // each list is an input of its own then, which costs as much as some elements
    long cost = inputs.counts[input] * layout.width();
    long bytes = SpareMemory.leastBytes(layout.children[0].layout, children.structs[input],
        children.offset(input) + items.first, range, true, SpareMemory.spareFrom(cost));
    return SpareMemory.isMostBytes(cost, bytes);
  }

  /** Takes the elements of each list of an input, in order. */
  private static void gather(Layout layout, ConcatInputs inputs, ConcatInputs children, int input,
      ConcatInputs.Collected taken) {
    for (long k = 0; k < inputs.counts[input]; k++) {
      long size = size(layout, inputs, input, k);
      if (size == 0) continue;
      long offset = checkedOffset(layout, inputs, children, input, k, size); // a producer may have written meanwhile
      taken.add(inputs.origins[input], children.structs[input], children.offset(input) + offset, size);
    }
  }

  private static long checkedOffset(Layout layout, ConcatInputs inputs, ConcatInputs children, int input, long element,
      long size) {
    long offset = offset(layout, inputs, input, element);
    if (size < 0 || offset < 0 || offset > children.length(input) - size) {
      long at = inputs.starts[input] + element;
      throw new MalformedException("offsets[" + at + "] = " + offset + " and sizes[" + at + "] = " + size
          + " lead beyond the " + children.length(input) + " elements");
    }
    return offset;
  }

  private static long offset(Layout layout, ConcatInputs inputs, int input, long element) {
    return Integers.get(inputs.buffer(input, 1), layout.bits, inputs.starts[input] + element);
  }

  /** Returns the number of elements of a list view. A null has none, regardless of its value below the null. */
  private static long size(Layout layout, ConcatInputs inputs, int input, long element) {
    return inputs.isNull(input, element) ? 0
        : Integers.get(inputs.buffer(input, 2), layout.bits, inputs.starts[input] + element);
  }

  static void denseUnion(ConcatPlan plan, ConcatPlan.Node node, Field field, ConcatInputs inputs) {
    Layout layout = Layout.of(field);
    FieldImpl[] fields = layout.children;
    ConcatInputs[] children = new ConcatInputs[fields.length];
    Arrays.setAll(children, inputs::children);
    long[][] shift = new long[inputs.structs.length][fields.length];
    long[] totals = new long[fields.length];
    plan.each(inputs, i -> {
      long[] first = new long[fields.length];
      long[] end = new long[fields.length];
      Arrays.fill(first, Long.MAX_VALUE);
      for (long at = inputs.starts[i]; at < inputs.starts[i] + inputs.counts[i]; at++) {
        byte id = NativeHeap.getByte(ids(layout, inputs, i) + at);
        int child = layout.childOf(id);
        if (child < 0) throw new MalformedException("types[" + at + "] = " + id + " is not a type id of the union");
        int offset = NativeHeap.getInt(offsets(layout, inputs, i) + 4 * at);
        if (offset < 0 || offset >= children[child].length(i)) {
          throw new MalformedException(
              "offsets[" + at + "] = " + offset + " is beyond the " + children[child].length(i) + " elements of \""
                  + fields[child].name() + "\"");
        }
        first[child] = Math.min(first[child], offset);
        end[child] = Math.max(end[child], offset + 1L);
      }
      for (int c = 0; c < fields.length; c++) {
        if (end[c] == 0) continue;
        children[c].set(i, children[c].offset(i) + first[c], end[c] - first[c]);
        shift[i][c] = totals[c] - first[c];
        totals[c] = ConcatOffsets.reach(32, totals[c], end[c] - first[c], "elements of \"" + fields[c].name() + "\"");
      }
    });
    node.buffers.add(plan.buffer(node.length,
        to -> plan.each(inputs, i -> ConcatPlan.copy(inputs, i, ids(layout, inputs, i), 1, to))));
    node.buffers.add(plan.buffer(4 * node.length, to -> plan.each(inputs, i -> {
      for (long k = 0; k < inputs.counts[i]; k++) {
        long at = inputs.starts[i] + k;
        long moved = shift[i][layout.childOf(NativeHeap.getByte(ids(layout, inputs, i) + at))];
        NativeHeap.putInt(to + 4 * (inputs.at[i] + k),
            (int) (NativeHeap.getInt(offsets(layout, inputs, i) + 4 * at) + moved));
      }
    })));
    for (int c = 0; c < fields.length; c++) plan.child(node, fields[c], children[c]);
  }

  private static long ids(Layout layout, ConcatInputs inputs, int input) {
    return inputs.buffer(input, Positions.surplus(layout, inputs.structs[input]));
  }

  private static long offsets(Layout layout, ConcatInputs inputs, int input) {
    return inputs.buffer(input, Positions.surplus(layout, inputs.structs[input]) + 1);
  }

  /** Measures run-end encoded columns. Runs are cut to the visible part. Two adjacent runs are not merged. */
  static void runs(ConcatPlan plan, ConcatPlan.Node node, Layout layout, ConcatInputs inputs) {
    long bits = layout.children[0].layout.bits;
    ConcatInputs ends = inputs.children(0);
    ConcatInputs values = inputs.children(1);
    long[] runs = {0};
    plan.each(inputs, i -> {
      if (inputs.at[i] + inputs.counts[i] > Integers.most(bits, true)) {
        throw new MalformedException(
            inputs.at[i] + " + " + inputs.counts[i] + " elements are more than run ends of " + bits + " bits reach");
      }
      RunEnds all = RunEnds.of(layout, inputs.structs[i]);
      long first = all.first(inputs.starts[i]);
      long count = all.count(first, inputs.starts[i], inputs.starts[i] + inputs.counts[i]);
      ends.set(i, ends.offset(i) + first, count);
      values.set(i, values.offset(i) + first, count);
      ends.at[i] = runs[0];
      runs[0] += count;
    });
    ConcatPlan.Node runEnds = new ConcatPlan.Node(layout.children[0].name(), runs[0], 0);
    runEnds.buffers.add(null);
    runEnds.buffers.add(plan.buffer((bits >>> 3) * runs[0], to -> plan.each(ends, i -> {
      for (long k = 0; k < ends.counts[i]; k++) {
        long end = Integers.get(ends.buffer(i, 1), bits, ends.starts[i] + k) - inputs.starts[i];
        Integers.put(to, bits, ends.at[i] + k, inputs.at[i] + Math.min(end, inputs.counts[i]));
      }
    })));
    node.children.add(runEnds);
    plan.child(node, layout.children[1], values);
  }
}
