// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** C strings: UTF-8 up to a zero. */
final class CText {
  private CText() {}

  /** Reads one, or "" from NULL. */
  static String read(MemorySegment address) {
    return address.equals(MemorySegment.NULL) ? "" : address.reinterpret(Long.MAX_VALUE).getString(0);
  }

  /** Writes one; a zero within, which would end it, is refused by the parameter's name. */
  static MemorySegment write(SegmentAllocator arena, String parameter, String text) {
    check(parameter, text);
    return arena.allocateFrom(text);
  }

  /** Refuses what cannot be written. */
  static void check(String parameter, String text) {
    int zero = Objects.requireNonNull(text, parameter).indexOf(0);
    if (zero >= 0) throw new IllegalArgumentException(parameter + " has a zero at " + zero + ", where C would end it");
  }

  /** The same, or NULL for null. */
  static MemorySegment writeOrNull(SegmentAllocator arena, String parameter, @Nullable String text) {
    return text == null ? MemorySegment.NULL : write(arena, parameter, text);
  }
}
