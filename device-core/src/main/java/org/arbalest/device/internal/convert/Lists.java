// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.convert;

import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.copy.Positions;
import org.arbalest.device.internal.memory.Integers;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.MalformedException;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.NestedType.MapType;

/** Converts lists and maps between offsets and list-views, and between 32 and 64 bits. */
final class Lists {
  private final ConversionPlan plan;
  private final Node node;
  private final Field from;
  private final Field to;
  private final Rows rows;
  private final long struct;
  private final Layout layout;
  private final boolean isView;
  private final long offsets;
  private final long sizes;
  private final long items;
  private final long bits;

  private Mask mask = Mask.ALL;

  // The range of elements that the non-empty lists use, and the sum of their sizes.
  private long first = Long.MAX_VALUE;
  private long last;
  private long sum;

  /** Whether each list begins where the one before ends. */
  private boolean isContiguous = true;

  private Lists(ConversionPlan plan, Node node, Field from, long struct, Rows rows, Field to) {
    this.plan = plan;
    this.node = node;
    this.from = from;
    this.to = to;
    this.rows = rows;
    this.struct = struct;
    this.layout = Layout.of(from);
    this.isView = layout.shape == Layout.Shape.LIST_VIEW;
    this.offsets = RawArrowArray.buffer(struct, 1);
    this.sizes = isView ? RawArrowArray.buffer(struct, 2) : 0;
    this.items = RawArrowArray.child(struct, 0);
    this.bits = node.layout.bits;
  }

  static void measure(ConversionPlan plan, Node node, Field from, long struct, Rows rows, Field to) {
    new Lists(plan, node, from, struct, rows, to).measure();
  }

  private void measure() {
    boolean toViews = node.layout.shape == Layout.Shape.LIST_VIEW;
    boolean isSame = !plan.isCompact
        && Compatible.isSame(layout.children[0], node.layout.children[0], from.type() instanceof MapType);
    boolean isSameWidth = rows.isRange() && layout.bits == bits;
    if (rows.count == 0) {
      node.buffers.add(Node.Buffer.NONE);
      if (toViews) node.buffers.add(Node.Buffer.NONE);
      child(Rows.range(RawArrowArray.offset(items), 0));
    } else if ((isSame || plan.queued() != null) && isSameWidth && isView == toViews) {
      node.buffers.add(shared(offsets));
      if (toViews) node.buffers.add(shared(sizes));
      child(Rows.all(items));
    } else {
      plan.look();
      mask = rows.mask(plan, ConversionPlan.bitmap(layout, struct));
      for (long k = 0; k < rows.count; k = rows.next(k)) look(k, rows.next(k) - k);
      if (sum == 0) first = 0;
      if (toViews) {
        toViews(isSame, isSame && isSameWidth);
      } else {
        toOffsets();
      }
    }
  }

  private Node.Buffer shared(long address) {
    return plan.share(address + layout.width() * rows.start);
  }

  private void child(Rows below) {
    plan.child(node, from, 0, struct, below, to, 0);
  }

  /** Returns the size of a row's list. A null has size 0, regardless of its offsets. */
  private long size(long row) {
    if (mask.isNull(row)) return 0;
    long at = rows.at(row);
    long value = Integers.get(isView ? sizes : offsets, layout.bits, isView ? at : at + 1);
    return isView ? value : value - start(at);
  }

  private long start(long at) {
    return Integers.get(offsets, layout.bits, at);
  }

  /** Checks the list of a row, and counts it {@code times} times, for as many identical rows. */
  private void look(long row, long times) {
    long size = size(row);
    if (size == 0) return;
    long at = rows.at(row);
    long start = start(at);
    long known = RawArrowArray.length(items);
    if (start < 0 || size < 0 || start > known - size) {
      String second = isView ? "sizes[" + at + "] = " + size : "offsets[" + (at + 1) + "] = " + (start + size);
      throw new MalformedException("row " + row + ": offsets[" + at + "] = " + start + " and " + second
          + " lead beyond the " + known + " elements, or go back");
    }
    isContiguous &= (sum == 0 || start == last) && times == 1; // if contiguous so far, the list before ended at last
    first = Math.min(first, start);
    last = Math.max(last, start + size);
    if (times > (Layout.MOST_BYTES - sum) / size) {
      throw new MalformedException("row " + row + ": " + times + " lists of " + size + " elements, beside " + sum
          + " others, do not fit in memory");
    }
    sum += size * times;
  }

  private void requireReach(long elements) {
    if (elements > Integers.most(bits, true))
      throw Positions.beyondOffsets(elements + " elements", bits);
  }

  /** Returns the elements of the lists in order. An element is repeated for each list that contains it. */
  private Rows gathered() {
    long offset = RawArrowArray.offset(items);
    if (isContiguous) return Rows.range(offset + first, sum);
    // a list of positions could exceed the memory, and nulls have no positions
    if (layout.children[0].layout.shape == Layout.Shape.NULL) return Rows.range(0, sum);
    long list = plan.list(sum);
    long next = 0;
    for (long k = 0; k < rows.count; k = rows.next(k)) {
      long size = size(k);
      if (size == 0) continue;
      long start = start(rows.at(k));
      for (long times = rows.next(k) - k; times > 0; times--) {
        for (long j = 0; j < size; j++) NativeHeap.putLong(list + Long.BYTES * next++, start + j);
      }
    }
    return Rows.list(list, sum, offset);
  }

  private void toOffsets() {
    requireReach(sum);
    boolean isKept = !isView && layout.bits == bits && isContiguous && first == 0 && startsAtZero()
        && (!plan.isCompact || rows.isWhole(struct));
    node.buffers.add(isKept ? shared(offsets)
        : plan.piece((bits >>> 3) * (rows.count + 1), address -> writeRunning(address, rows.count + 1)));
    child(gathered());
  }

  /**
   * Returns whether the ascending offsets equal the offsets that would be written: they begin at 0, and no null has
   * elements.
   */
  private boolean startsAtZero() {
    return rows.isRange() && start(rows.start) == 0 && start(rows.start + rows.count) == sum;
  }

  private void writeRunning(long address, long count) {
    long end = 0;
    for (long k = 0; k < count; k++) {
      Integers.put(address, bits, k, end);
      if (k < rows.count) end += size(k);
    }
  }

  private void toViews(boolean isSame, boolean isSameWidth) {
    boolean isGathered = plan.isCompact && sum < last - first;
    long base = isSame ? 0 : first;
    requireReach(isGathered ? sum : last - base);
    boolean reachesAll = isSame || last == RawArrowArray.length(items); // the views of nulls stay within, too
    boolean areKept = isView && layout.bits == bits && rows.isWhole(struct) && base == 0 && !isGathered && reachesAll;
    long offset = RawArrowArray.offset(items);
    if (areKept || isSameWidth) {
      node.buffers.add(shared(offsets));
    } else if (isGathered) {
      node.buffers.add(plan.piece((bits >>> 3) * rows.count, address -> writeRunning(address, rows.count)));
    } else {
      node.buffers.add(plan.piece((bits >>> 3) * rows.count, address -> writeStarts(address, base)));
    }
    node.buffers.add(areKept ? shared(sizes) : plan.piece((bits >>> 3) * rows.count, this::writeSizes));
    child(isSame ? Rows.all(items) : isGathered ? gathered() : Rows.range(offset + first, last - first));
  }

  private void writeStarts(long address, long base) {
    for (long k = 0; k < rows.count; k++) {
      Integers.put(address, bits, k, size(k) == 0 ? 0 : start(rows.at(k)) - base);
    }
  }

  private void writeSizes(long address) {
    for (long k = 0; k < rows.count; k++) Integers.put(address, bits, k, size(k));
  }
}
