// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.convert;

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
      throw new MalformedException(bytes + " bytes of data are more than offsets of " + bits + " bits reach");
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
    long bits = node.layout.bits;
    boolean isPlain = !source.isView && rows.isPlainList();
    long plain = isPlain ? source.plainSize() : -1;
    long size = plain < 0 ? checkedSize(source, rows) : plain;
    requireReach(bits, size);
    if (isPlain) {
      node.buffers.add(plan.piece((bits >>> 3) * (rows.count + 1), to -> writeOffsets(source, rows, bits, to)));
      node.buffers.add(plan.piece(size, to -> writeBytes(source, rows, to, size)));
      return;
    }
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

  /** Writes the offsets of a plain list of rows whose sizes are checked. */
  private static void writeOffsets(TextSource source, Rows rows, long bits, long to) {
    long list = rows.list();
    boolean mayHaveNulls = source.mayHaveNulls();
    boolean isLarge = bits == Long.SIZE;
    long end = 0;
    Integers.put(to, bits, 0, 0);
    for (long k = 0; k < rows.count; k++) {
      if (!mayHaveNulls || !source.isNull(k))
        end += source.checkedSize(NativeHeap.getLong(list + Long.BYTES * k) + rows.start);
      if (isLarge) {
        NativeHeap.putLong(to + 8 * k + 8, end);
      } else {
        NativeHeap.putInt(to + 4 * k + 4, (int) end);
      }
    }
  }

  /** Writes the bytes of a plain list of rows whose sizes are checked. */
  private static void writeBytes(TextSource source, Rows rows, long to, long size) {
    long list = rows.list();
    boolean mayHaveNulls = source.mayHaveNulls();
    long end = to + size;
    long next = to;
    long limit = source.limit() - SHORT; // up to here, as many bytes as a short text has can be read
    for (long k = 0; k < rows.count; k++) {
      if (mayHaveNulls && source.isNull(k)) continue;
      long at = NativeHeap.getLong(list + Long.BYTES * k) + rows.start;
      long begin = source.offset(at);
      long length = source.offset(at + 1) - begin;
      if (length <= SHORT && begin <= limit && end - next >= SHORT) {
        for (long i = 0; i < length; i += Long.BYTES)
          NativeHeap.putLong(next + i, NativeHeap.getLong(source.data + begin + i));
      } else {
        copy(source.data + begin, next, length, end - next);
      }
      next += length;
    }
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
