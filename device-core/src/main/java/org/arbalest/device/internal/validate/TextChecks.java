// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.validate;

import org.arbalest.device.internal.memory.Integers;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.memory.Utf8Scan;
import org.arbalest.device.internal.schema.MalformedException;

/** Checks that each text is UTF-8. The texts of nulls may be anything. */
final class TextChecks {
  private TextChecks() {}

  /**
   * Checks adjacent texts: all bytes at once, and that each text begins with a character. If that fails, checks each
   * text alone, which finds the invalid one or shows that all invalid ones are null.
   *
   * @param data the first byte of the first text
   */
  static void check(HostBuffers buffers, Rows rows, long offsets, long data) {
    long first = Integers.get(offsets, rows.layout.bits, 0);
    long size = Integers.get(offsets, rows.layout.bits, rows.count) - first;
    long ascii = Utf8Scan.ascii(data, size);
    if (ascii == size) return;
    boolean areWhole =
        rows.layout.bits == 32
            ? beginWithCharacters(offsets, (int) first, rows.count, data, size)
            : beginWithCharacters(offsets, first, rows.count, data, size);
    if (areWhole && Utf8Scan.isValid(data + ascii, size - ascii)) return;
    Validity validity = buffers.validity(rows);
    for (long row = 0; row < rows.count; row++) {
      long begin = Integers.get(offsets, rows.layout.bits, row);
      long bytes = Integers.get(offsets, rows.layout.bits, row + 1) - begin;
      if (!validity.isNull(row)) checkOne(row, data + (begin - first), bytes);
    }
  }

  private static boolean beginWithCharacters(long offsets, int first, long count, long data, long size) {
    for (long row = 0; row < count; row++) {
      long at = (long) NativeHeap.getInt(offsets + 4 * row) - first;
      if (at < size && isInside(NativeHeap.getByte(data + at))) return false;
    }
    return true;
  }

  private static boolean beginWithCharacters(long offsets, long first, long count, long data, long size) {
    for (long row = 0; row < count; row++) {
      long at = NativeHeap.getLong(offsets + 8 * row) - first;
      if (at < size && isInside(NativeHeap.getByte(data + at))) return false;
    }
    return true;
  }

  /** Returns whether a byte is the second or a later byte of a character. */
  private static boolean isInside(byte value) {
    return value < (byte) 0xC0;
  }

  /** Checks the text of one row. */
  static void checkOne(long row, long at, long bytes) {
    if (Utf8Scan.isValid(at, bytes)) return;
    long wrong = Utf8Scan.wrong(at, bytes);
    String why = wrong == bytes ? "ends within a character"
        : "has 0x" + Integer.toHexString(NativeHeap.getByte(at + wrong) & 0xFF) + " at " + wrong;
    throw new MalformedException("row " + row + ": not UTF-8: a text of " + bytes + " bytes " + why);
  }
}
