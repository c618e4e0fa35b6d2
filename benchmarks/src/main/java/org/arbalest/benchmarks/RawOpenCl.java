// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;

/** The raw OpenCL calls for comparison, also through FFM. */
final class RawOpenCl {
  private static final int EXECUTION_STATUS = 0x11D3;
  private static final SymbolLookup LIBRARY = SymbolLookup.libraryLookup("libOpenCL.so.1", Arena.global());
  private static final MethodHandle SVM_ALLOC =
      handle("clSVMAlloc", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT);
  private static final MethodHandle SVM_FREE =
      Linker.nativeLinker().downcallHandle(LIBRARY.findOrThrow("clSVMFree"),
          FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG));
  private static final MethodHandle SVM_MEMCPY =
      handle("clEnqueueSVMMemcpy", JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG,
          JAVA_LONG);
  private static final MethodHandle FINISH = handle("clFinish", JAVA_INT, JAVA_LONG);
  private static final MethodHandle GET_EVENT_INFO =
      handle("clGetEventInfo", JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle WAIT_FOR_EVENTS = handle("clWaitForEvents", JAVA_INT, JAVA_INT, JAVA_LONG);

  private static final MethodHandle RETAIN_EVENT = handle("clRetainEvent", JAVA_INT, JAVA_LONG);

  /** The memory for results returned through a pointer; only one thread uses it. */
  private static final MemorySegment SCRATCH = Arena.global().allocate(16, 8);

  private RawOpenCl() {}

  private static MethodHandle handle(String name, MemoryLayout result, MemoryLayout... arguments) {
    return Linker.nativeLinker().downcallHandle(LIBRARY.findOrThrow(name), FunctionDescriptor.of(result, arguments));
  }

  static long allocate(long context, long bytes) throws Throwable {
    return (long) SVM_ALLOC.invokeExact(context, 1L, bytes, 128);
  }

  static void free(long context, long address) throws Throwable {
    SVM_FREE.invokeExact(context, address);
  }

  /** Copies bytes, and returns after the copy has ended. */
  static int copy(long queue, long to, long from, long bytes) throws Throwable {
    return (int) SVM_MEMCPY.invokeExact(queue, 1, to, from, bytes, 0, 0L, 0L);
  }

  /** Queues a copy; {@link #finish} waits for it. */
  static int queueCopy(long queue, long to, long from, long bytes) throws Throwable {
    return (int) SVM_MEMCPY.invokeExact(queue, 0, to, from, bytes, 0, 0L, 0L);
  }

  static int finish(long queue) throws Throwable {
    return (int) FINISH.invokeExact(queue);
  }

  static int status(long event) throws Throwable {
    int code = (int) GET_EVENT_INFO.invokeExact(event, EXECUTION_STATUS, 4L, SCRATCH.address(), 0L);
    return code == 0 ? SCRATCH.get(JAVA_INT, 0) : code;
  }

  static long retained(long event) {
    try {
      int code = (int) RETAIN_EVENT.invokeExact(event);
      return code == 0 ? event : 0;
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
  }

  static int await(long event) throws Throwable {
    SCRATCH.set(JAVA_LONG, 8, event);
    return (int) WAIT_FOR_EVENTS.invokeExact(1, SCRATCH.address() + 8);
  }
}
