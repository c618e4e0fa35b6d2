// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.invoke.MethodHandle;

/**
 * The driver API's functions that say where managed memory is to be; see {@link Cu}. Those of CUDA 12.2 take a {@code CUmemLocation}, two ints by value, which
 * C passes as one word on all platforms that CUDA has; older drivers have those that take a device, -1 for the CPU.
 */
final class CuManaged {
  private static final MethodHandle MEM_PREFETCH_ASYNC = Cu.optional("cuMemPrefetchAsync", JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG);
  private static final MethodHandle MEM_PREFETCH_ASYNC_V2 = Cu.optional("cuMemPrefetchAsync_v2", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG);
  private static final MethodHandle MEM_ADVISE = Cu.optional("cuMemAdvise", JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT);
  private static final MethodHandle MEM_ADVISE_V2 = Cu.optional("cuMemAdvise_v2", JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG);

  private static final long ON_DEVICE = 1;
  private static final long ON_HOST = 2;
  private static final int HOST = -1;

  private CuManaged() {}

  /** Initialises the class, so that this does not happen in the middle of something. */
  static void load() {}

  /** To an ordinal's memory, or to the CPU's if that is -1. */
  static int prefetch(long address, long bytes, int ordinal, long stream) {
    try {
      int code = (int) MEM_PREFETCH_ASYNC_V2.invokeExact(address, bytes, location(ordinal), 0, stream);
      return code == Cu.NOT_SUPPORTED ? (int) MEM_PREFETCH_ASYNC.invokeExact(address, bytes, ordinal, stream) : code;
    } catch (Throwable t) {
      throw Cu.unexpected(t);
    }
  }

  static int advise(long address, long bytes, int advice, int ordinal) {
    try {
      int code = (int) MEM_ADVISE_V2.invokeExact(address, bytes, advice, location(ordinal));
      return code == Cu.NOT_SUPPORTED ? (int) MEM_ADVISE.invokeExact(address, bytes, advice, ordinal) : code;
    } catch (Throwable t) {
      throw Cu.unexpected(t);
    }
  }

  private static long location(int ordinal) {
    return ordinal == HOST ? ON_HOST : ON_DEVICE | (long) ordinal << 32;
  }
}
