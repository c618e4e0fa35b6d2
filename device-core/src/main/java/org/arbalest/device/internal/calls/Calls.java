// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.calls;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;

/** Calls through the function pointers of C structs. */
public final class Calls {
  private static final Linker LINKER = Linker.nativeLinker();
  private static final MethodHandle RELEASE = LINKER.downcallHandle(FunctionDescriptor.ofVoid(JAVA_LONG));
  private static final MethodHandle GET = LINKER.downcallHandle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
  private static final MethodHandle GET_TEXT = LINKER.downcallHandle(FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));

  private static final MethodHandle ON_NEXT_TASK =
      LINKER.downcallHandle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));
  private static final MethodHandle ON_ERROR =
      LINKER.downcallHandle(FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG));
  private static final MethodHandle REQUEST = LINKER.downcallHandle(FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG));

  /**
   * The function that {@link #release} called last: most calls are of the same function as the call before. A race is
   * harmless, because a segment is immutable.
   */
  private static MemorySegment releasing = MemorySegment.NULL;

  private Calls() {}

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
      RELEASE.invokeExact(known, struct);
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
      return (int) GET.invokeExact(function, struct, out);
    } catch (Throwable t) {
      throw failed(t);
    }
  }

  /** Calls {@code const char* (*get)(T*)}. */
  public static long getText(long function, long struct) {
    try {
      return (long) GET_TEXT.invokeExact(MemorySegment.ofAddress(function), struct);
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
      return (int) ON_NEXT_TASK.invokeExact(function, handler, task, metadata);
    } catch (Throwable t) {
      throw failed(t);
    }
  }

  /** Calls {@code void (*on_error)(handler*, int code, const char* message, const char* metadata)}. */
  public static void onError(long function, long handler, int code, long message, long metadata) {
    try {
      ON_ERROR.invokeExact(MemorySegment.ofAddress(function), handler, code, message, metadata);
    } catch (Throwable t) {
      throw failed(t);
    }
  }

  /** Calls {@code void (*request)(producer*, int64_t n)}. */
  public static void request(long function, long producer, long n) {
    try {
      REQUEST.invokeExact(MemorySegment.ofAddress(function), producer, n);
    } catch (Throwable t) {
      throw failed(t);
    }
  }
}
