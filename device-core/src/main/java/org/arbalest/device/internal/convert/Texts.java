// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.convert;

import org.arbalest.device.internal.copy.Positions;
import org.arbalest.device.internal.memory.Integers;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.MalformedException;

/** Converts text and binary to layouts with offsets of 32 or 64 bits. */
final class Texts {
  /** Texts up to this size in bytes are copied word by word, if as much space is left at the target. */
  private static final int SHORT = 64;

  private Texts() {}

  static void measure(ConversionPlan plan, Node node, TextSource source) {
    Rows rows = source.rows;
    long bits = node.layout.bits;
    if (rows.count == 0) {
      node.buffers.add(Node.Buffer.NONE);
      node.buffers.add(Node.Buffer.NONE);
    } else if (source.isView || !rows.isRange()) {
      gather(plan, node, source, rows);
    } else if (plan.isCompact || source.layout.bits != bits) {
      moved(plan, node, source, rows);
    } else {
      node.buffers.add(plan.share(source.positions + (bits >>> 3) * rows.start));
      node.buffers.add(plan.share(source.data, plan.textSize(source.layout, source.struct, false)));
    }
  }

  /** Measures a range of texts. Its new offsets begin at 0. */
  private static void moved(ConversionPlan plan, Node node, TextSource source, Rows rows) {
    source.open();
    long bits = node.layout.bits;
    long from = source.positions + source.layout.width() * rows.start;
    long first = source.offset(rows.start);
    long last = source.offset(rows.start + rows.count);
    if (first < 0 || (last > source.limit() && last != first) || descends(from, source.layout.bits, rows.count)) {
      for (long k = 0; k < rows.count; k++) source.size(k, rows.start + k); // throws for the invalid row
    }
    long size = last - first;
    requireReach(bits, size);
    boolean isWhole = rows.isWhole(source.struct) && first == 0;
    if (isWhole && source.layout.bits == bits) {
      node.buffers.add(plan.share(source.positions));
    } else {
      node.buffers.add(plan.piece((bits >>> 3) * (rows.count + 1),
          to -> offsets(from, source.layout.bits, to, bits, rows.count + 1, first)));
    }
    long room = plan.owner.dataSize(source.struct);
    boolean isAll = isWhole && (room == size || room == Long.MAX_VALUE);
    if (!plan.isCompact || isAll) {
      node.buffers.add(plan.share(source.data == 0 ? 0 : source.data + first, size));
    } else {
      node.buffers.add(plan.piece(size, to -> NativeHeap.copy(source.data + first, to, size)));
    }
  }

  /** Returns whether any offset is less than the one before. */
  private static boolean descends(long offsets, long bits, long count) {
    boolean descends = false;
    if (bits == 32) {
      for (long i = 0; i < count; i++)
        descends |= NativeHeap.getInt(offsets + 4 * i + 4) < NativeHeap.getInt(offsets + 4 * i);
    } else {
      for (long i = 0; i < count; i++)
        descends |= NativeHeap.getLong(offsets + 8 * i + 8) < NativeHeap.getLong(offsets + 8 * i);
    }
    return descends;
  }

  /** Copies offsets, in the same or another width, minus the first. */
  static void offsets(long from, long bits, long to, long toBits, long count, long first) {
    if (bits == 32 && toBits == 32) {
      for (long i = 0; i < count; i++) NativeHeap.putInt(to + 4 * i, NativeHeap.getInt(from + 4 * i) - (int) first);
    } else if (bits == 32) {
      for (long i = 0; i < count; i++) NativeHeap.putLong(to + 8 * i, NativeHeap.getInt(from + 4 * i) - first);
    } else if (toBits == 32) {
      for (long i = 0; i < count; i++) NativeHeap.putInt(to + 4 * i, (int) (NativeHeap.getLong(from + 8 * i) - first));
    } else {
      for (long i = 0; i < count; i++) NativeHeap.putLong(to + 8 * i, NativeHeap.getLong(from + 8 * i) - first);
    }
  }

  private static void requireReach(long bits, long bytes) {
    if (bytes > Integers.most(bits, true))
      throw Positions.beyondOffsets(bytes + " bytes of data", bits);
  }

  /**
   * Returns the size of {@code rows} texts of {@code each} bytes; throws if it would exceed any memory together with
   * {@code others} bytes.
   */
  private static long requireMemory(long row, long each, long rows, long others) {
    if (each > 0 && rows > (Layout.MOST_BYTES - others) / each) {
      throw new MalformedException("row " + row + ": " + rows + " texts of " + each + " bytes, beside " + others
          + " others, do not fit in memory");
    }
    return each * rows;
  }

  /** Collects texts from any positions, without gaps. */
  private static void gather(ConversionPlan plan, Node node, TextSource source, Rows rows) {
    source.open();
    if (source.isView || !rows.isList()) {
      gatherEach(plan, node, source, rows);
      return;
    }
    boolean areLong = node.layout.bits == Long.SIZE;
    long bytes = node.layout.width() * (rows.count + 1);
    long offsets = plan.temporary(bytes);
    long size = source.writeOffsets(offsets, areLong);
    if (size < 0) size = checkedSize(source, rows); // throws, unless only empty texts are beyond the data
    requireReach(node.layout.bits, size);
    long end = size;
    node.buffers.add(plan.piece(bytes, to -> NativeHeap.copy(offsets, to, bytes)));
    node.buffers.add(plan.piece(size, to -> writeBytes(source, rows, offsets, areLong, to, to + end)));
  }

  private static void gatherEach(ConversionPlan plan, Node node, TextSource source, Rows rows) {
    long bits = node.layout.bits;
    long size = checkedSize(source, rows);
    requireReach(bits, size);
    node.buffers.add(plan.piece((bits >>> 3) * (rows.count + 1), to -> {
      long end = 0;
      Integers.put(to, bits, 0, 0);
      for (long k = 0; k < rows.count; k++) {
        if (!source.isNull(k)) end += source.checkedSize(rows.at(k));
        Integers.put(to, bits, k + 1, end);
      }
    }));
    node.buffers.add(plan.piece(size, to -> {
      long next = to;
      long end = to + size;
      for (long k = 0; k < rows.count; k++) {
        if (source.isNull(k)) continue;
        long at = rows.at(k);
        long length = source.checkedSize(at);
        copy(source.address(at, length), next, length, end - next);
        next += length;
      }
    }));
  }

  /** Returns the size of the rows in bytes; throws for the first row that is invalid. */
  private static long checkedSize(TextSource source, Rows rows) {
    long size = 0;
    for (long k = 0; k < rows.count; k = rows.next(k)) {
      long length = source.isNull(k) ? 0 : source.size(k, rows.at(k));
      size += requireMemory(k, length, rows.next(k) - k, size);
    }
    return size;
  }

  /** Writes the bytes of a list of rows, whose new offsets are written. A null has no bytes. */
  private static void writeBytes(TextSource source, Rows rows, long offsets, boolean areLong, long to, long end) {
    long list = rows.list();
    boolean areInts = rows.areInts;
    long limit = source.limit() - SHORT; // up to here, as many bytes as a short text has can be read
    long next = to;
    for (long k = 0; k < rows.count; k++) {
      long length = to + Rows.position(offsets, !areLong, k + 1) - next;
      if (length == 0) continue;
      long begin = source.offset(Rows.position(list, areInts, k) + rows.start);
      long from = source.data + begin;
      if (length <= SHORT && begin <= limit && end - next >= SHORT) {
        copyWords(from, next);
        if (length > SHORT / 2) copyWords(from + SHORT / 2, next + SHORT / 2);
      } else {
        copy(from, next, length, end - next);
      }
      next += length;
    }
  }

  /** Copies half of a {@link #SHORT} text, without a branch. */
  private static void copyWords(long from, long to) {
    NativeHeap.putLong(to, NativeHeap.getLong(from));
    NativeHeap.putLong(to + 8, NativeHeap.getLong(from + 8));
    NativeHeap.putLong(to + 16, NativeHeap.getLong(from + 16));
    NativeHeap.putLong(to + 24, NativeHeap.getLong(from + 24));
  }

  /**
   * Copies a text; {@code room} is the space left at the target in bytes. Short texts are copied inline, without the
   * call that a larger copy needs.
   */
  static void copy(long from, long to, long length, long room) {
    if (length > SHORT || room < SHORT) {
      if (length > 0) NativeHeap.copy(from, to, length);
      return;
    }
    long i = 0;
    for (; i + Long.BYTES <= length; i += Long.BYTES) NativeHeap.putLong(to + i, NativeHeap.getLong(from + i));
    for (; i < length; i++) NativeHeap.putByte(to + i, NativeHeap.getByte(from + i));
  }
}
