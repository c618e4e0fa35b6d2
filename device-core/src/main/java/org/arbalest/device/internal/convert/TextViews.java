// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.convert;

import java.util.Arrays;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.MalformedException;
import org.arbalest.device.internal.schema.ViewStruct;

/** Converts text and binary to views. The views refer to the existing data, so that only the views are written. */
final class TextViews {
  /**
   * The data of a layout with offsets becomes several buffers, which begin at multiples of 2 to this power. An offset
   * in one of them fits in 31 bits.
   */
  private static final int WINDOW = 30;

  private TextViews() {}

  static void measure(ConversionPlan plan, Node node, TextSource source) {
    Rows rows = source.rows;
    if (rows.count == 0) {
      node.buffers.add(Node.Buffer.NONE);
    } else if (!source.isView) {
      ofOffsets(plan, node, source, rows);
    } else if (plan.isCompact) {
      compact(plan, node, source, rows);
    } else {
      if (rows.isRange()) {
        node.buffers.add(plan.share(source.view(rows.start)));
      } else {
        source.open();
        node.buffers.add(plan.piece(ViewStruct.SIZE * rows.count, to -> gather(source, to)));
      }
      for (long i = 0; i < source.variadic; i++)
        node.buffers.add(plan.share(RawArrowArray.buffer(source.struct, 2 + i), ViewStruct.dataSize(source.struct, i)));
    }
  }

  /** Copies views unchanged; the view of a null becomes empty. */
  private static void gather(TextSource source, long to) {
    Rows rows = source.rows;
    if (rows.isPlainList() && !source.mayHaveNulls()) {
      FixedWidth.copy(source.positions, ViewStruct.SIZE, rows, to);
      return;
    }
    for (long k = 0; k < rows.count; k++) {
      ViewStruct.copy(source.view(rows.at(k)), to + ViewStruct.SIZE * k, source.isNull(k));
    }
  }

  /** Creates views into the data of a layout with offsets. */
  private static void ofOffsets(ConversionPlan plan, Node node, TextSource source, Rows rows) {
    source.open();
    long[] ends = {0};
    for (long k = 0; k < rows.count; k = rows.next(k)) {
      if (source.isNull(k)) continue;
      long at = rows.at(k);
      long size = source.size(k, at);
      if (size <= ViewStruct.INLINE) continue;
      if (size > Integer.MAX_VALUE)
        throw new MalformedException("row " + k + ": " + size + " bytes are more than a view can have");
      long begin = source.offset(at);
      int window = (int) (begin >>> WINDOW);
      if (window >= ends.length) ends = Arrays.copyOf(ends, window + 1);
      ends[window] = Math.max(ends[window], begin + size);
    }
    int[] places = new int[ends.length];
    int used = 0;
    for (int window = 0; window < ends.length; window++) places[window] = ends[window] == 0 ? -1 : used++;
    node.buffers.add(plan.piece(ViewStruct.SIZE * rows.count, to -> writeViews(source, rows, places, to)));
    for (int window = 0; window < ends.length; window++) {
      long begin = (long) window << WINDOW;
      if (ends[window] > 0) node.buffers.add(plan.share(source.data + begin, ends[window] - begin));
    }
  }

  private static void writeViews(TextSource source, Rows rows, int[] places, long to) {
    for (long k = 0; k < rows.count; k++) {
      long view = to + ViewStruct.SIZE * k;
      long at = rows.at(k);
      if (source.isNull(k)) {
        clear(view);
        continue;
      }
      long begin = source.offset(at);
      int size = (int) (source.offset(at + 1) - begin);
      if (size <= ViewStruct.INLINE) {
        writeInline(view, source.data + begin, size);
      } else {
        NativeHeap.putInt(view, size);
        NativeHeap.putInt(ViewStruct.value(view), NativeHeap.getInt(source.data + begin));
        ViewStruct.setBuffer(view, places[(int) (begin >>> WINDOW)]);
        ViewStruct.setOffset(view, (int) (begin & ((1L << WINDOW) - 1)));
      }
    }
  }

  private static void clear(long view) {
    NativeHeap.putLong(view, 0);
    NativeHeap.putLong(view + 8, 0);
  }

  /** Writes a short view. It reads no byte after the text. */
  private static void writeInline(long view, long from, int size) {
    clear(view);
    NativeHeap.putInt(view, size);
    int i = 0;
    for (; i + Integer.BYTES <= size; i += Integer.BYTES) NativeHeap.putInt(view + 4 + i, NativeHeap.getInt(from + i));
    for (; i < size; i++) NativeHeap.putByte(view + 4 + i, NativeHeap.getByte(from + i));
  }

  /**
   * Keeps each data buffer whose values take its whole size. From the others, it copies the visible values, without
   * gaps.
   */
  private static void compact(ConversionPlan plan, Node node, TextSource source, Rows rows) {
    source.open();
    int variadic = Math.toIntExact(source.variadic);
    long[] visible = new long[variadic];
    for (long k = 0; k < rows.count; k++) {
      if (source.isNull(k)) continue;
      long at = rows.at(k);
      long size = source.size(k, at);
      if (size > ViewStruct.INLINE) visible[ViewStruct.buffer(source.view(at))] += size;
    }
    boolean[] isKept = new boolean[variadic];
    int[] places = new int[variadic];
    int used = 0;
    for (int i = 0; i < variadic; i++) {
      isKept[i] = visible[i] >= ViewStruct.dataSize(source.struct, i) || visible[i] > Integer.MAX_VALUE;
      places[i] = visible[i] == 0 ? -1 : used++;
    }
    boolean isSame = used == variadic && rows.isWhole(source.struct);
    for (boolean kept : isKept) isSame &= kept;
    node.buffers.add(isSame ? plan.share(source.positions)
        : plan.piece(ViewStruct.SIZE * rows.count, to -> writeMoved(source, rows, isKept, places, to)));
    for (int i = 0; i < variadic; i++) {
      if (visible[i] == 0) continue;
      int own = i;
      node.buffers.add(isKept[i]
          ? plan.share(RawArrowArray.buffer(source.struct, 2 + i), ViewStruct.dataSize(source.struct, i))
          : plan.piece(visible[i], to -> copyVisible(source, rows, own, to)));
    }
  }

  private static void writeMoved(TextSource source, Rows rows, boolean[] isKept, int[] places, long to) {
    long[] next = new long[places.length];
    gather(source, to);
    for (long view = to; view < to + ViewStruct.SIZE * rows.count; view += ViewStruct.SIZE) {
      int size = ViewStruct.size(view);
      if (size <= ViewStruct.INLINE) continue;
      int index = ViewStruct.buffer(view);
      ViewStruct.setBuffer(view, places[index]);
      if (isKept[index]) continue;
      ViewStruct.setOffset(view, (int) next[index]);
      next[index] += size;
    }
  }

  private static void copyVisible(TextSource source, Rows rows, int buffer, long to) {
    long next = to;
    for (long k = 0; k < rows.count; k++) {
      if (source.isNull(k)) continue;
      long at = rows.at(k);
      long size = source.checkedSize(at);
      if (size <= ViewStruct.INLINE || ViewStruct.buffer(source.view(at)) != buffer) continue;
      NativeHeap.copy(source.address(at, size), next, size);
      next += size;
    }
  }
}
