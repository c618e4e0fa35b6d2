// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.convert;

import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.memory.Bitmaps;
import org.arbalest.device.internal.memory.Integers;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.MalformedException;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.IntType;
import org.arbalest.device.types.NestedType.DictionaryType;

/** Converts values of a fixed width, which stay unchanged except booleans, and indices, whose width may change. */
final class FixedWidth {
  private FixedWidth() {}

  static void measure(ConversionPlan plan, Node node, Field from, long struct, Rows rows, Field to) {
    if (from.type() instanceof DictionaryType own && to.type() instanceof DictionaryType asked) {
      long dictionary = RawArrowArray.dictionary(struct);
      if (areSame(own.index(), asked.index(), RawArrowArray.length(dictionary))) {
        node.buffers.add(values(plan, RawArrowArray.buffer(struct, 1), node.layout.bits, struct, rows));
      } else {
        node.buffers.add(
            indices(plan, own.index(), asked.index(), ConversionPlan.bitmap(Layout.of(from), struct), struct, rows));
      }
      try {
        node.dictionary = plan.measure(own.values(), dictionary, Rows.all(dictionary), asked.values());
      } catch (MalformedException e) {
        throw e.under(MalformedException.DICTIONARY);
      }
    } else if (Booleans.differ(from, to)) {
      node.buffers.add(Booleans.values(plan, RawArrowArray.buffer(struct, 1), rows, to));
    } else {
      node.buffers.add(values(plan, RawArrowArray.buffer(struct, 1), node.layout.bits, struct, rows));
    }
  }

  /** Adds the selected values from a buffer of the struct, unchanged. */
  static Node.Buffer values(ConversionPlan plan, long from, long bits, long struct, Rows rows) {
    if (rows.count == 0 || bits == 0) return Node.Buffer.NONE;
    boolean isKept = rows.isRange() && (!plan.isCompact || rows.isWhole(struct));
    if (bits == 1) {
      if (isKept && (rows.start & 7) == 0) return plan.share(from + (rows.start >>> 3));
      plan.look();
      return plan.piece((rows.count + 7) >>> 3, to -> copyBits(from, rows, to));
    }
    long width = bits >>> 3;
    if (isKept) return plan.share(from + width * rows.start);
    plan.look();
    if (rows.count > Layout.MOST_BYTES / width)
      throw new MalformedException(rows.count + " values of " + width + " bytes do not fit in memory");
    return plan.piece(width * rows.count, to -> copy(from, width, rows, to));
  }

  /** Copies bits. An element without a source becomes 0. */
  private static void copyBits(long from, Rows rows, long to) {
    NativeHeap.fill(to, (rows.count + 7) >>> 3, (byte) 0);
    if (rows.isRange()) {
      Bitmaps.copy(from, rows.start, to, 0, rows.count);
      return;
    }
    Marked marked = rows.marked();
    if (marked != null) {
      marked.copyBits(from, rows.start, to);
      return;
    }
    for (long k = 0; k < rows.count; k++) {
      long at = rows.at(k);
      if (at >= 0 && Bitmaps.get(from, at)) Bitmaps.set(to, k);
    }
  }

  /** Copies values of {@code width} bytes. An element without a source becomes 0. */
  static void copy(long from, long width, Rows rows, long to) {
    Marked marked = rows.marked();
    if (rows.isRange()) {
      NativeHeap.copy(from + width * rows.start, to, width * rows.count);
    } else if (marked != null) {
      marked.copy(from + width * rows.start, width, to);
    } else if (rows.isPlainList()) {
      gather(from + width * rows.start, width, rows.list(), rows.areInts, rows.count, to);
    } else {
      copyOrClear(from, width, rows, to);
    }
  }

  /** Copies the value at each position of a list, in one loop for each width. */
  private static void gather(long from, long width, long list, boolean areInts, long count, long to) {
    switch ((int) width) {
      case 1 -> {
        for (long k = 0; k < count; k++)
          NativeHeap.putByte(to + k, NativeHeap.getByte(from + Rows.position(list, areInts, k)));
      }
      case 2 -> {
        for (long k = 0; k < count; k++)
          NativeHeap.putShort(to + 2 * k, NativeHeap.getShort(from + 2 * Rows.position(list, areInts, k)));
      }
      case 4 -> {
        for (long k = 0; k < count; k++)
          NativeHeap.putInt(to + 4 * k, NativeHeap.getInt(from + 4 * Rows.position(list, areInts, k)));
      }
      case 8 -> {
        for (long k = 0; k < count; k++)
          NativeHeap.putLong(to + 8 * k, NativeHeap.getLong(from + 8 * Rows.position(list, areInts, k)));
      }
      case 16 -> {
        for (long k = 0; k < count; k++) {
          long at = from + 16 * Rows.position(list, areInts, k);
          NativeHeap.putLong(to + 16 * k, NativeHeap.getLong(at));
          NativeHeap.putLong(to + 16 * k + 8, NativeHeap.getLong(at + 8));
        }
      }
      default -> {
        for (long k = 0; k < count; k++)
          NativeHeap.copy(from + width * Rows.position(list, areInts, k), to + width * k, width);
      }
    }
  }

  private static void copyOrClear(long from, long width, Rows rows, long to) {
    switch ((int) width) { // one loop for each width
      case 1 -> {
        for (long k = 0; k < rows.count; k++) {
          long at = rows.at(k);
          NativeHeap.putByte(to + k, at < 0 ? 0 : NativeHeap.getByte(from + at));
        }
      }
      case 2 -> {
        for (long k = 0; k < rows.count; k++) {
          long at = rows.at(k);
          NativeHeap.putShort(to + 2 * k, at < 0 ? 0 : NativeHeap.getShort(from + 2 * at));
        }
      }
      case 4 -> {
        for (long k = 0; k < rows.count; k++) {
          long at = rows.at(k);
          NativeHeap.putInt(to + 4 * k, at < 0 ? 0 : NativeHeap.getInt(from + 4 * at));
        }
      }
      case 8 -> {
        for (long k = 0; k < rows.count; k++) {
          long at = rows.at(k);
          NativeHeap.putLong(to + 8 * k, at < 0 ? 0 : NativeHeap.getLong(from + 8 * at));
        }
      }
      case 16 -> {
        for (long k = 0; k < rows.count; k++) {
          long at = rows.at(k);
          NativeHeap.putLong(to + 16 * k, at < 0 ? 0 : NativeHeap.getLong(from + 16 * at));
          NativeHeap.putLong(to + 16 * k + 8, at < 0 ? 0 : NativeHeap.getLong(from + 16 * at + 8));
        }
      }
      default -> {
        for (long k = 0; k < rows.count; k++) {
          long at = rows.at(k);
          if (at < 0) {
            NativeHeap.fill(to + width * k, width, (byte) 0);
          } else {
            NativeHeap.copy(from + width * at, to + width * k, width);
          }
        }
      }
    }
  }

  /** Returns whether each index of a dictionary with this many values has the same bytes in both types. */
  private static boolean areSame(IntType own, IntType asked, long values) {
    return own.equals(asked) || (own.bits() == asked.bits() && values - 1 <= Integers.most(own.bits(), true));
  }

  /** Adds indices of another type, after a check that each of them fits. The index of a null becomes 0. */
  private static Node.Buffer indices(ConversionPlan plan, IntType own, IntType asked, long bitmap, long struct,
      Rows rows) {
    if (rows.count == 0) return Node.Buffer.NONE;
    plan.look();
    Mask mask = rows.mask(plan, bitmap);
    long from = RawArrowArray.buffer(struct, 1);
    long most = Integers.most(asked.bits(), asked.signed());
    for (long k = 0; k < rows.count; k = rows.next(k)) {
      if (mask.isNull(k)) continue;
      long index = index(own, from, rows.at(k));
      if (index < 0 || index > most)
        throw new MalformedException("row " + k + ": index " + index + " does not fit " + asked.bits() + " bits");
    }
    return plan.piece((asked.bits() >>> 3) * rows.count, to -> {
      for (long k = 0; k < rows.count; k++) {
        Integers.put(to, asked.bits(), k, mask.isNull(k) ? 0 : index(own, from, rows.at(k)));
      }
    });
  }

  static long index(IntType type, long indices, long at) {
    return type.signed() ? Integers.get(indices, type.bits(), at) : Integers.getUnsigned(indices, type.bits(), at);
  }
}
