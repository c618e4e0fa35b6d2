// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.convert;

import java.util.Arrays;
import java.util.List;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.copy.Positions;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.MalformedException;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.NestedType.RunEndEncodedType;
import org.arbalest.device.types.NestedType.UnionType;

/**
 * Converts unions, whose nulls are the nulls of their children.
 *
 * <p>An element without a source becomes a null of the first child that can store one. If no child can, an ancestor
 * must hide all these elements. They become elements of the first child then, which no reader sees.
 */
final class Unions {
  private final ConversionPlan plan;
  private final Node node;
  private final Field from;
  private final long struct;
  private final Rows rows;
  private final Field to;
  private final Layout layout;
  private final List<Integer> ids;
  private final long types;

  /** The child of elements without a source; −1 if the selection has none. */
  private final int ofNulls;

  private Unions(ConversionPlan plan, Node node, Field from, long struct, Rows rows, Field to) {
    this.plan = plan;
    this.node = node;
    this.from = from;
    this.struct = struct;
    this.rows = rows;
    this.to = to;
    this.layout = Layout.of(from);
    this.ids = ((UnionType) from.type()).typeIds();
    this.types = RawArrowArray.buffer(struct, Positions.surplus(layout, struct));
    this.ofNulls = rows.hasNone ? childOfNulls() : -1;
  }

  static void sparse(ConversionPlan plan, Node node, Field from, long struct, Rows rows, Field to) {
    Unions union = new Unions(plan, node, from, struct, rows, to);
    union.addTypes();
    for (int i = 0; i < union.ids.size(); i++) {
      Rows.Above above =
          ConversionPlan.above(union.layout, struct, rows, rows.count == 0 ? 0 : union.types, union.ids.get(i), 1);
      plan.child(node, from, i, struct, rows.child(plan, RawArrowArray.child(struct, i), 1, above), to, i);
    }
  }

  static void dense(ConversionPlan plan, Node node, Field from, long struct, Rows rows, Field to) {
    Unions union = new Unions(plan, node, from, struct, rows, to);
    union.addTypes();
    if (rows.count == 0) {
      node.buffers.add(Node.Buffer.NONE);
      for (int i = 0; i < union.ids.size(); i++)
        plan.child(node, from, i, struct, Rows.range(union.offset(i), 0), to, i);
    } else {
      plan.look();
      union.addChildren();
    }
  }

  private void addTypes() {
    if (!rows.hasNone) {
      node.buffers.add(FixedWidth.values(plan, types, 8, struct, rows));
      return;
    }
    node.buffers.add(plan.piece(rows.count, address -> {
      for (long k = 0; k < rows.count; k++) {
        long at = rows.at(k);
        NativeHeap.putByte(address + k, at < 0 ? ids.get(ofNulls).byteValue() : NativeHeap.getByte(types + at));
      }
    }));
  }

  private int childOfNulls() {
    List<Field> children = to.type().children();
    for (int i = 0; i < children.size(); i++) {
      if (canBeNull(children.get(i))) return i;
    }
    if (rows.mayBeHidden()) plan.look();
    long row = rows.exposedNull(0);
    if (row >= 0 || children.isEmpty())
      throw new MalformedException("row " + Math.max(0, row) + ": is null, but no child of the union may be");
    return 0;
  }

  /** Returns whether an array of a field can store a null, so that a reader finds it. */
  static boolean canBeNull(Field field) {
    if (!field.isNullable()) return false;
    return switch (field.type()) {
      case UnionType union -> union.children().stream().anyMatch(Unions::canBeNull);
      case RunEndEncodedType runs -> canBeNull(runs.values());
      default -> true;
    };
  }

  private long offset(int child) {
    return RawArrowArray.offset(RawArrowArray.child(struct, child));
  }

  private long length(int child) {
    return RawArrowArray.length(RawArrowArray.child(struct, child));
  }

  private long offsets() {
    return RawArrowArray.buffer(struct, Positions.surplus(layout, struct) + 1);
  }

  private int child(long row, long at) {
    byte id = NativeHeap.getByte(types + at);
    int child = layout.childOf(id);
    if (child < 0)
      throw new MalformedException("row " + row + ": types[" + at + "] = " + id + " is not a type id of the union");
    return child;
  }

  /** Adds the offsets of a dense union, and the elements of each child that they use. */
  private void addChildren() {
    long[] first = new long[ids.size()];
    long[] end = new long[ids.size()];
    long[] counts = new long[ids.size()];
    Arrays.fill(first, Long.MAX_VALUE);
    for (long k = 0; k < rows.count; k = rows.next(k)) {
      long at = rows.at(k);
      int child = at < 0 ? ofNulls : child(k, at);
      counts[child] += rows.next(k) - k;
      if (at < 0) continue;
      long offset = NativeHeap.getInt(offsets() + Integer.BYTES * at);
      if (offset < 0 || offset >= length(child)) {
        String where =
            "row " + k + ": offsets[" + at + "] = " + offset + " is beyond the " + length(child) + " elements of ";
        throw new MalformedException(where + "\"" + layout.children[child].name() + "\"");
      }
      first[child] = Math.min(first[child], offset);
      end[child] = Math.max(end[child], offset + 1);
    }
    boolean isDense = true;
    boolean areFirst = true;
    for (int i = 0; i < counts.length; i++) {
      if (end[i] == 0) first[i] = 0;
      isDense &= counts[i] >= end[i] - first[i];
      areFirst &= first[i] == 0;
    }
    if (rows.isRange() && (isDense || !plan.isCompact)) {
      addRanges(first, end, areFirst && (!plan.isCompact || rows.isWhole(struct)));
    } else {
      addLists(counts);
    }
  }

  /** Throws if a child would have more elements than offsets from 0 on can index. */
  private void requireReach(int child, long elements) {
    if (elements - 1 > Integer.MAX_VALUE)
      throw new MalformedException(
          elements + " elements of \"" + layout.children[child].name()
              + "\" are more than offsets of 32 bits reach; take fewer rows");
  }

  private void addRanges(long[] first, long[] end, boolean isKept) {
    long from0 = offsets() + Integer.BYTES * rows.start;
    node.buffers.add(isKept ? plan.share(from0) : plan.piece(Integer.BYTES * rows.count, address -> {
      for (long k = 0; k < rows.count; k++) {
        int child = layout.childOf(NativeHeap.getByte(types + rows.start + k));
        NativeHeap.putInt(address + Integer.BYTES * k,
            (int) (NativeHeap.getInt(from0 + Integer.BYTES * k) - first[child]));
      }
    }));
    for (int i = 0; i < first.length; i++)
      plan.child(node, from, i, struct, Rows.range(offset(i) + first[i], end[i] - first[i]), to, i);
  }

  private void addLists(long[] counts) {
    boolean isHidden = ofNulls >= 0 && !canBeNull(to.type().children().get(ofNulls));
    long[] lists = new long[counts.length];
    long[] next = new long[counts.length];
    boolean[] hasNone = new boolean[counts.length];
    for (int i = 0; i < lists.length; i++) requireReach(i, counts[i]);
    for (int i = 0; i < lists.length; i++) lists[i] = plan.list(counts[i]);
    for (long k = 0; k < rows.count; k++) {
      long at = rows.at(k);
      int child = at < 0 ? ofNulls : layout.childOf(NativeHeap.getByte(types + at));
      hasNone[child] |= at < 0;
      long position = at < 0 ? -1 : offset(child) + NativeHeap.getInt(offsets() + Integer.BYTES * at);
      NativeHeap.putLong(lists[child] + Long.BYTES * next[child]++, position);
    }
    node.buffers.add(plan.piece(Integer.BYTES * rows.count, address -> {
      int[] running = new int[counts.length];
      for (long k = 0; k < rows.count; k++) {
        long at = rows.at(k);
        int child = at < 0 ? ofNulls : layout.childOf(NativeHeap.getByte(types + at));
        NativeHeap.putInt(address + Integer.BYTES * k, running[child]++);
      }
    }));
    for (int i = 0; i < lists.length; i++) {
      Rows of =
          hasNone[i] ? Rows.withNone(lists[i], counts[i], isHidden, rows.isDecoded) : Rows.list(lists[i], counts[i], 0);
      plan.child(node, from, i, struct, of, to, i);
    }
  }
}
