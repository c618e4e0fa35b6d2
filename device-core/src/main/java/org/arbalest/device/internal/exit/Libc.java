// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.exit;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The C library, as the exit guard calls it. */
final class Libc {
  private static final Linker LINKER = Linker.nativeLinker();

  /**
   * Calls any C function of up to six words: what it does not take stays in registers. One handle, since making one
   * takes milliseconds.
   */
  private static final MethodHandle CALL =
      LINKER.downcallHandle(
          FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));

  /**
   * {@code int __cxa_atexit(void (*)(void*), void*, void*)}, which unlike {@code atexit} every C library exports; null
   * on Windows.
   */
  private static final @Nullable MemorySegment CXA_ATEXIT = find("__cxa_atexit").orElse(null);

  private Libc() {}

  /** Whether there is {@link #atExit}. */
  static boolean hasAtExit() {
    return CXA_ATEXIT != null;
  }

  /** Has a C function called with this argument when the process ends, before what was registered earlier. */
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
    try {
      return (long) CALL.invokeExact(function, a, b, c, d, e, f);
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
  }
}
