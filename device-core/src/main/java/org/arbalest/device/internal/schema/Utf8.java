package org.arbalest.device.internal.schema;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;

/** Text of the user's as UTF-8. Half a surrogate pair has no bytes there: {@code String.getBytes} silently puts a question mark in its place. */
public final class Utf8 {
  private static final long ABOVE_ASCII = 0x8080808080808080L;

  private Utf8() {}

  /** The bytes of text; {@code what} it is begins the error (SCH-21). */
  public static byte[] bytes(String what, String text) {
    byte[] bytes = text.getBytes(UTF_8);
    int half = half(text, bytes);
    if (half >= 0) throw new IllegalArgumentException(what + ": " + describe(text, half));
    return bytes;
  }

  /** The position of the first half of a pair in text that became these bytes; −1 if there is none. */
  public static int half(String text, byte[] bytes) {
    for (byte b : bytes) {
      if (b == '?') return half(text);
    }
    return -1;
  }

  /** The position of the first half of a pair; −1 if there is none. */
  public static int half(String text) {
    int i = 0;
    while (i < text.length()) {
      int c = text.codePointAt(i); // half a pair is its own code point
      if (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE) return i;
      i += Character.charCount(c);
    }
    return -1;
  }

  /** Whether bytes in some memory, on the heap or not, are UTF-8. */
  public static boolean isText(MemorySegment bytes) {
    long ascii = 0;
    while (bytes.byteSize() - ascii >= Long.BYTES && (bytes.get(JAVA_LONG_UNALIGNED, ascii) & ABOVE_ASCII) == 0) ascii += Long.BYTES;
    if (ascii == bytes.byteSize()) return true;
    try {
      UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes.asSlice(ascii).toArray(JAVA_BYTE)));
      return true;
    } catch (CharacterCodingException _) {
      return false;
    }
  }

  /** Says what is wrong with a character. */
  public static String describe(String text, int half) {
    return String.format("character %d of the text, U+%04X, is half a surrogate pair", half, (int) text.charAt(half));
  }
}
