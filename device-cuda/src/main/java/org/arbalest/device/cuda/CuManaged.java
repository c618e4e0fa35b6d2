// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

/**
 * Calls for the placement of managed memory; see {@link Cu}.
 *
 * <p>The newer functions take a {@code CUmemLocation}: two ints by value, which C passes as one word on all platforms
 * of CUDA. Older drivers have functions that take a device, with -1 for the CPU.
 */
final class CuManaged {
  private static final long ON_DEVICE = 1;
  private static final long ON_HOST = 2;
  private static final int HOST = -1;

  private CuManaged() {}

  /** Initialises the class early, so that this does not happen within another operation. */
  static void load() {}

  /**
   * Queues a move to the memory of the GPU with an ordinal, or to the CPU's memory if the ordinal is -1. Returns the
   * driver's code.
   */
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
