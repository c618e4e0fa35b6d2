// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

/**
 * Where managed memory is to be; see {@link Cu}. The newer functions take a {@code CUmemLocation}, two ints by value,
 * which C passes as one word on all platforms that CUDA has; older drivers have those that take a device, -1 for the
 * CPU.
 */
final class CuManaged {
  private static final long ON_DEVICE = 1;
  private static final long ON_HOST = 2;
  private static final int HOST = -1;

  private CuManaged() {}

  /** Initialises the class, so that this does not happen in the middle of something. */
  static void load() {}

  /** To an ordinal's memory, or to the CPU's if that is -1. */
  static int prefetch(long address, long bytes, int ordinal, long stream) {
    int code = Cu.MEM_PREFETCH_ASYNC_V2.call(address, bytes, location(ordinal), 0, stream);
    return code == Cu.NOT_SUPPORTED ? Cu.MEM_PREFETCH_ASYNC.call(address, bytes, ordinal, stream) : code;
  }

  static int advise(long address, long bytes, int advice, int ordinal) {
    int code = Cu.MEM_ADVISE_V2.call(address, bytes, advice, location(ordinal));
    return code == Cu.NOT_SUPPORTED ? Cu.MEM_ADVISE.call(address, bytes, advice, ordinal) : code;
  }

  private static long location(int ordinal) {
    return ordinal == HOST ? ON_HOST : ON_DEVICE | (long) ordinal << 32;
  }
}
