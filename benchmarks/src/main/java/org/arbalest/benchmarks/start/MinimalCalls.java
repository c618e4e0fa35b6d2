// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks.start;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** The least program of Java's foreign function API that calls C and is called back: it sorts two numbers by qsort. */
public final class MinimalCalls {
  private static final ValueLayout INT_POINTER =
      ADDRESS.withTargetLayout(JAVA_INT);

  private MinimalCalls() {}

  /**
   * Sorts two numbers.
   *
   * @throws Throwable from the call
   */
  public static void main(String[] args) throws Throwable {
    Linker linker = Linker.nativeLinker();
    MethodHandle sort = linker.downcallHandle(linker.defaultLookup().findOrThrow("qsort"),
        FunctionDescriptor.ofVoid(ADDRESS, JAVA_LONG, JAVA_LONG, ADDRESS));
    MethodHandle compare = MethodHandles.lookup().findStatic(MinimalCalls.class, "compare",
        MethodType.methodType(int.class, MemorySegment.class, MemorySegment.class));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment callback =
          linker.upcallStub(compare, FunctionDescriptor.of(JAVA_INT, INT_POINTER, INT_POINTER), arena);
      MemorySegment numbers = arena.allocateFrom(JAVA_INT, 2, 1);
      sort.invokeExact(numbers, 2L, 4L, callback);
      if (numbers.get(JAVA_INT, 0) != 1) throw new AssertionError("not sorted");
    }
  }

  @SuppressWarnings("UnusedMethod") // the handle finds it by name
  private static int compare(MemorySegment a, MemorySegment b) {
    return Integer.compare(a.get(JAVA_INT, 0), b.get(JAVA_INT, 0));
  }
}
