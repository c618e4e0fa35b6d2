// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Conversions of C strings: UTF-8, terminated by a zero byte. */
final class CText {
  private CText() {}

  /** Reads a C string; NULL is the empty string. */
  static String read(MemorySegment address) {
    return address.equals(MemorySegment.NULL) ? "" : address.reinterpret(Long.MAX_VALUE).getString(0);
  }

  /**
   * Writes a C string.
   *
   * @throws IllegalArgumentException if the text contains a zero, which would end it; the message names the parameter
   */
  static MemorySegment write(SegmentAllocator arena, String parameter, String text) {
    check(parameter, text);
    return arena.allocateFrom(text);
  }

  /** Throws unless a text can be written as a C string. */
  static void check(String parameter, String text) {
    int zero = Objects.requireNonNull(text, parameter).indexOf(0);
    if (zero >= 0)
      throw new IllegalArgumentException(parameter + " has a NUL character at " + zero + ", where C would end it");
  }

  /** Writes a C string, or returns NULL for null. */
  static MemorySegment writeOrNull(SegmentAllocator arena, String parameter, @Nullable String text) {
    return text == null ? MemorySegment.NULL : write(arena, parameter, text);
  }
}
