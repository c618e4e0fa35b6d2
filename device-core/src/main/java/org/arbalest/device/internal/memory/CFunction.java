// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.memory;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/** Calls of C functions whose parameters are integers and pointers. */
public final class CFunction {
  /**
   * Calls any C function with up to six integers or pointers as arguments: {@code (MemorySegment, long × 6) -> long}. A
   * function with fewer parameters ignores the other arguments. A result of type {@code int} is in the low half of the
   * returned number, and a function without a result returns an arbitrary number.
   *
   * <p>There is only one handle, because each type of function takes milliseconds to link.
   */
  public static final MethodHandle CALL =
      Linker.nativeLinker().downcallHandle(
          FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));

  private CFunction() {}

  /**
   * Links a faster handle for functions of one type. Returns null if that fails, for example because memory runs out:
   * an initializer of a class that threw would make each later release fail, and {@link #CALL} still works.
   */
  public static @Nullable MethodHandle link(FunctionDescriptor type) {
    try {
      return Linker.nativeLinker().downcallHandle(type);
    } catch (Throwable t) {
      return null;
    }
  }

  /** Does the same for functions that return at once, never call Java: the thread's state does not change. */
  public static @Nullable MethodHandle linkShort(FunctionDescriptor type) {
    try {
      return Linker.nativeLinker().downcallHandle(type, Linker.Option.critical(false));
    } catch (Throwable t) {
      return null;
    }
  }

  /** Calls a function of the C library, which throws nothing. */
  public static long call(MemorySegment function, long a, long b, long c, long d, long e, long f) {
    try {
      return (long) CALL.invokeExact(function, a, b, c, d, e, f);
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
  }
}
