// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.convert;

import org.arbalest.device.internal.memory.Bitmaps;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.types.Extension.Bool8;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.BoolType;

/** Converts booleans between bits and the bytes of {@code arrow.bool8}, where each byte but 0 is true. */
final class Booleans {
  /** The lowest bit of each of eight bytes. */
  private static final long LOWEST = 0x0101010101010101L;

  /** All bits of each of eight bytes except the highest. */
  private static final long LOW = 0x7f7f7f7f7f7f7f7fL;

  private Booleans() {}

  /** Returns whether one field has bits and the other has bytes, so that a conversion is possible. */
  static boolean areConvertible(Field from, Field to) {
    return (isBits(from) && to.extension() instanceof Bool8) || (from.extension() instanceof Bool8 && isBits(to));
  }

  private static boolean isBits(Field field) {
    return field.type() instanceof BoolType && field.extensionName() == null;
  }

  /** Returns whether the storage differs; the fields are convertible. */
  static boolean differ(Field from, Field to) {
    return from.type() instanceof BoolType != to.type() instanceof BoolType;
  }

  /** Adds the selected booleans from a buffer, in the storage of the result. */
  static Node.Buffer values(ConversionPlan plan, long from, Rows rows, Field to) {
    if (rows.count == 0) return Node.Buffer.NONE;
    QueuedBooleans queued = plan.queued();
    if (queued != null) {
      boolean toBits = to.type() instanceof BoolType;
      return plan.queuedPiece(toBits ? (rows.count + 7) >>> 3 : rows.count, queued.writer(from, rows, !toBits));
    }
    plan.look();
    if (to.type() instanceof BoolType) return plan.piece((rows.count + 7) >>> 3, at -> writeBits(from, rows, at));
    return plan.piece(rows.count, at -> writeBytes(from, rows, at));
  }

  /** Writes bytes of 0 and 1. An element without a source becomes 0. */
  private static void writeBytes(long from, Rows rows, long to) {
    if (!rows.isRange()) {
      for (long k = 0; k < rows.count; k++) {
        long at = rows.at(k);
        NativeHeap.putByte(to + k, (byte) (at >= 0 && Bitmaps.get(from, at) ? 1 : 0));
      }
      return;
    }
    long k = 0;
    for (; k + Long.SIZE <= rows.count; k += Long.SIZE) {
      long word = Bitmaps.word(from, rows.start + k);
      for (long i = 0; i < Long.SIZE; i += Byte.SIZE) NativeHeap.putLong(to + k + i, Long.expand(word >>> i, LOWEST));
    }
    for (; k < rows.count; k++) NativeHeap.putByte(to + k, (byte) (Bitmaps.get(from, rows.start + k) ? 1 : 0));
  }

  /** Writes bits. An element without a source becomes 0. */
  private static void writeBits(long from, Rows rows, long to) {
    if (rows.isRange()) {
      long whole = rows.count & -Byte.SIZE;
      long first = from + rows.start;
      for (long k = 0; k < whole; k += Byte.SIZE)
        NativeHeap.putByte(to + (k >>> 3), bits(NativeHeap.getLong(first + k)));
      if (whole == rows.count) return;
      int last = 0;
      for (long k = whole; k < rows.count; k++) last |= (NativeHeap.getByte(first + k) != 0 ? 1 : 0) << (k - whole);
      NativeHeap.putByte(to + (whole >>> 3), (byte) last);
      return;
    }
    NativeHeap.fill(to, (rows.count + 7) >>> 3, (byte) 0);
    for (long k = 0; k < rows.count; k++) {
      long at = rows.at(k);
      if (at >= 0 && NativeHeap.getByte(from + at) != 0) Bitmaps.set(to, k);
    }
  }

  /** Returns a bit for each of eight bytes: whether it is not 0. */
  private static byte bits(long bytes) {
    return (byte) Long.compress(((bytes & LOW) + LOW) | bytes, ~LOW);
  }
}
