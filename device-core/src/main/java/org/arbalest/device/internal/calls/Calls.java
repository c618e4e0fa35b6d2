// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.calls;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.internal.memory.CFunction;
import org.jspecify.annotations.Nullable;

/**
 * Calls through the function pointers of C structs. The first calls use {@link CFunction}. After that, the frequent
 * functions have handles of their own, which are faster and take milliseconds to link.
 */
public final class Calls {
  private static final int FIRST = 64;

  /** The number of frequent calls so far, up to {@link #FIRST}. A race is harmless. */
  private static int firstCalls;

  private static final class Release {
    static final @Nullable MethodHandle CALL = CFunction.link(FunctionDescriptor.ofVoid(JAVA_LONG));
  }

  private static final class Get {
    static final @Nullable MethodHandle CALL = CFunction.link(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
  }

  private static final class OnNextTask {
    static final @Nullable MethodHandle CALL =
        CFunction.link(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));
  }

  /**
   * The function that {@link #release} called last: most calls are of the same function as the call before. A race is
   * harmless, because a segment is immutable.
   */
  private static MemorySegment releasing = MemorySegment.NULL;

  private Calls() {}

  private static boolean isEarly() {
    if (firstCalls >= FIRST) return false;
    firstCalls++;
    return true;
  }

  private static long call(MemorySegment function, long a, long b, long c, long d) throws Throwable {
    return (long) CFunction.CALL.invokeExact(function, a, b, c, d, 0L, 0L);
  }

  /** Returns the exception for a call that failed before native code ran, or whose Java part threw. */
  private static RuntimeException failed(Throwable t) {
    if (t instanceof Error e) throw e; // no memory, or a stack overflow
    return new DeviceException(Errno.EINVAL, "a function pointer of a C struct cannot be called: " + t.getMessage(), t);
  }

  /** Calls {@code void (*release)(T*)}, or {@code cancel}. */
  public static void release(long function, long struct) {
    MemorySegment known = releasing;
    if (known.address() != function) releasing = known = MemorySegment.ofAddress(function);
    try {
      if (isEarly() || Release.CALL == null) {
        call(known, struct, 0, 0, 0);
      } else {
        Release.CALL.invokeExact(known, struct);
      }
    } catch (Throwable t) {
      throw failed(t);
    }
  }

  /** Calls {@code int (*get)(T*, U* out)}, or {@code on_schema}. */
  public static int get(long function, long struct, long out) {
    return get(MemorySegment.ofAddress(function), struct, out);
  }

  /** Calls {@code int (*get)(T*, U* out)}, or {@code extract_data}. For a function that is called often. */
  public static int get(MemorySegment function, long struct, long out) {
    try {
      if (isEarly() || Get.CALL == null) return (int) call(function, struct, out, 0, 0);
      return (int) Get.CALL.invokeExact(function, struct, out);
    } catch (Throwable t) {
      throw failed(t);
    }
  }

  /** Calls {@code const char* (*get)(T*)}. */
  public static long getText(long function, long struct) {
    try {
      return call(MemorySegment.ofAddress(function), struct, 0, 0, 0);
    } catch (Throwable t) {
      throw failed(t);
    }
  }

  /** Calls {@code int (*on_next_task)(handler*, task*, const char* metadata)}. */
  public static int onNextTask(long function, long handler, long task, long metadata) {
    return onNextTask(MemorySegment.ofAddress(function), handler, task, metadata);
  }

  /** Calls {@code on_next_task}. For a function that is called often. */
  public static int onNextTask(MemorySegment function, long handler, long task, long metadata) {
    try {
      if (isEarly() || OnNextTask.CALL == null) return (int) call(function, handler, task, metadata, 0);
      return (int) OnNextTask.CALL.invokeExact(function, handler, task, metadata);
    } catch (Throwable t) {
      throw failed(t);
    }
  }

  /** Calls {@code void (*on_error)(handler*, int code, const char* message, const char* metadata)}. */
  public static void onError(long function, long handler, int code, long message, long metadata) {
    try {
      call(MemorySegment.ofAddress(function), handler, code, message, metadata);
    } catch (Throwable t) {
      throw failed(t);
    }
  }

  /** Calls {@code void (*request)(producer*, int64_t n)}. */
  public static void request(long function, long producer, long n) {
    try {
      call(MemorySegment.ofAddress(function), producer, n, 0, 0);
    } catch (Throwable t) {
      throw failed(t);
    }
  }
}
