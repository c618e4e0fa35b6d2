// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** The first calls between Java and C, with the library only on the class path: a call of C, which calls Java back. */
public final class FirstCalls {
  private FirstCalls() {}

  /**
   * Sorts two numbers by C's qsort.
   *
   * @throws Throwable from the call
   */
  public static void main(String[] args) throws Throwable {
    Class.forName("org.arbalest.device.Errno", false, FirstCalls.class.getClassLoader()); // opens the library's jar
    Linker linker = Linker.nativeLinker();
    MethodHandle sort = linker.downcallHandle(linker.defaultLookup().findOrThrow("qsort"),
        FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    MethodHandle compare = MethodHandles.lookup().findStatic(FirstCalls.class, "compare",
        MethodType.methodType(int.class, long.class, long.class));
    try (Arena arena = Arena.ofConfined()) {
      FunctionDescriptor type = FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG);
      MemorySegment numbers = arena.allocateFrom(JAVA_INT, 2, 1);
      sort.invokeExact(numbers.address(), 2L, 4L, linker.upcallStub(compare, type, arena).address());
      if (numbers.get(JAVA_INT, 0) != 1) throw new AssertionError("not sorted");
    }
  }

  @SuppressWarnings("UnusedMethod") // the handle finds it by name
  private static int compare(long a, long b) {
    MemorySegment all = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    return Integer.compare(all.get(JAVA_INT, a), all.get(JAVA_INT, b));
  }
}
