// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.memory;

/**
 * Checks whether bytes are UTF-8 according to RFC 3629: no surrogates, no code point above U+10FFFF, no overlong
 * encoding.
 *
 * <p>ASCII is skipped word by word. Other bytes go through an automaton without branches, whose time does not depend on
 * the script. Each byte value has a row of next states. The number of the current state is the bit position of the next
 * state in the row, so one step is one look-up and one shift.
 */
public final class Utf8Scan {
  private static final long HIGH_BITS = 0x8080808080808080L;

  /** The number of bytes after which the automaton looks for ASCII again. */
  private static final int STRIDE = 32;

  /** Between two characters. */
  private static final int WHOLE = 0;

  private static final int WRONG = 6;

  /** One byte is missing; any two bytes; any three bytes. */
  private static final int ONE = 12;

  private static final int TWO = 18;
  private static final int THREE = 24;

  /** After E0, ED, F0 and F4, after which only some bytes are valid. */
  private static final int AFTER_E0 = 30;

  private static final int AFTER_ED = 36;
  private static final int AFTER_F0 = 42;
  private static final int AFTER_F4 = 48;

  private static final int[] STATES = {WHOLE, WRONG, ONE, TWO, THREE, AFTER_E0, AFTER_ED, AFTER_F0, AFTER_F4};

  private static final long[] NEXT = new long[256];

  static {
    for (int value = 0; value < NEXT.length; value++) {
      for (int state : STATES) NEXT[value] |= (long) next(state, value) << state;
    }
  }

  private Utf8Scan() {}

  private static int next(int state, int value) {
    if (state == WHOLE) return first(value);
    if (value < 0x80 || value > 0xBF) return WRONG;
    return switch (state) {
      case ONE -> WHOLE;
      case TWO -> ONE;
      case THREE -> TWO;
      case AFTER_E0 -> value >= 0xA0 ? ONE : WRONG;
      case AFTER_ED -> value < 0xA0 ? ONE : WRONG;
      case AFTER_F0 -> value >= 0x90 ? TWO : WRONG;
      case AFTER_F4 -> value < 0x90 ? TWO : WRONG;
      default -> WRONG;
    };
  }

  private static int first(int value) {
    if (value < 0x80) return WHOLE;
    if (value < 0xC2 || value > 0xF4) return WRONG;
    if (value < 0xE0) return ONE;
    return switch (value) {
      case 0xE0 -> AFTER_E0;
      case 0xED -> AFTER_ED;
      case 0xF0 -> AFTER_F0;
      case 0xF4 -> AFTER_F4;
      default -> value < 0xF0 ? TWO : THREE;
    };
  }

  /**
   * Returns the number of ASCII bytes at the start. Does not count fewer than eight bytes before the first that is not
   * ASCII.
   */
  public static long ascii(long at, long bytes) {
    long i = 0;
    while (bytes - i >= Long.BYTES && (NativeHeap.getLong(at + i) & HIGH_BITS) == 0) i += Long.BYTES;
    if (bytes - i >= Long.BYTES) return i;
    while (i < bytes && NativeHeap.getByte(at + i) >= 0) i++;
    return i;
  }

  public static boolean isValid(long at, long bytes) {
    long state = WHOLE;
    for (long i = 0; i < bytes;) {
      if ((state & 63) == WHOLE) i += ascii(at + i, bytes - i);
      long end = Math.min(bytes, i + STRIDE);
      for (; i < end; i++) state = NEXT[NativeHeap.getByte(at + i) & 0xFF] >>> state;
    }
    return (state & 63) == WHOLE;
  }

  /**
   * Returns the position of the first byte that is not valid at its place; {@code bytes} if all are valid. In that case
   * a character may still be incomplete at the end.
   */
  public static long wrong(long at, long bytes) {
    long state = WHOLE;
    for (long i = 0; i < bytes; i++) {
      state = NEXT[NativeHeap.getByte(at + i) & 0xFF] >>> state;
      if ((state & 63) == WRONG) return i;
    }
    return bytes;
  }
}
