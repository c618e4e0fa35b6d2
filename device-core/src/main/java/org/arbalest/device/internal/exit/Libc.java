// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.exit;

import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.arbalest.device.internal.memory.CFunction;
import org.jspecify.annotations.Nullable;

/** Calls of the C library for the exit guard. */
final class Libc {
  private static final Linker LINKER = Linker.nativeLinker();

  /**
   * {@code int __cxa_atexit(void (*)(void*), void*, void*)}; null on Windows. Every C library exports it, which is not
   * so for {@code atexit}.
   */
  private static final @Nullable MemorySegment CXA_ATEXIT = find("__cxa_atexit").orElse(null);

  private Libc() {}

  /** Returns whether {@link #atExit} is available. */
  static boolean hasAtExit() {
    return CXA_ATEXIT != null;
  }

  /**
   * Registers a C function that runs with this argument when the process ends, before all functions that were
   * registered earlier.
   */
  static void atExit(long function, long argument) {
    if (CXA_ATEXIT != null) call(CXA_ATEXIT, function, argument, 0, 0, 0, 0);
  }

  static Optional<MemorySegment> find(String name) {
    return LINKER.defaultLookup().find(name);
  }

  static long call(String name, long a, long b, long c, long d, long e, long f) {
    return call(LINKER.defaultLookup().findOrThrow(name), a, b, c, d, e, f);
  }

  static long call(MemorySegment function, long a, long b, long c, long d, long e, long f) {
    return CFunction.call(function, a, b, c, d, e, f);
  }
}
