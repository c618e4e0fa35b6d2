// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.schema;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Conversion of the caller's text to UTF-8. An unpaired surrogate has no encoding: {@code String.getBytes} silently
 * writes a question mark for it.
 */
public final class Utf8 {
  private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

  // The same byte eight times.
  private static final long QUESTION_MARKS = 0x3F3F3F3F3F3F3F3FL;
  private static final long ONES = 0x0101010101010101L;
  private static final long HIGHEST_BITS = 0x8080808080808080L;

  private Utf8() {}

  /** Returns the bytes of text; {@code what} begins the error message (SCH-21). */
  public static byte[] bytes(String what, String text) {
    byte[] bytes = text.getBytes(UTF_8);
    int half = half(text, bytes);
    if (half >= 0) throw new IllegalArgumentException(what + ": " + describe(text, half));
    return bytes;
  }

  /** Returns the position of the first unpaired surrogate in text that was encoded as these bytes, or −1. */
  public static int half(String text, byte[] bytes) {
    return hasQuestionMark(bytes) ? half(text) : -1;
  }

  /** Searches word by word, because every appended text is checked here. */
  private static boolean hasQuestionMark(byte[] bytes) {
    int at = 0;
    for (; at <= bytes.length - Long.BYTES; at += Long.BYTES) {
      long differs = (long) WORD.get(bytes, at) ^ QUESTION_MARKS;
      if (((differs - ONES) & ~differs & HIGHEST_BITS) != 0) return true; // one of its bytes is 0
    }
    for (; at < bytes.length; at++) {
      if (bytes[at] == '?') return true;
    }
    return false;
  }

  /** Returns the position of the first unpaired surrogate, or −1. */
  public static int half(String text) {
    int i = 0;
    while (i < text.length()) {
      int c = text.codePointAt(i); // an unpaired surrogate is a code point of its own
      if (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE) return i;
      i += Character.charCount(c);
    }
    return -1;
  }

  /** Describes an unpaired surrogate, for an error message. */
  public static String describe(String text, int half) {
    return String.format("character %d of the text, U+%04X, is half a surrogate pair", half, (int) text.charAt(half));
  }
}
