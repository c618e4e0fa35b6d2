// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

/** The constants of the memory functions, and the kinds of addresses; see {@link Hip}. */
final class HipMemory {
  static final int POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES = 3;
  static final int POOL_RELEASE_THRESHOLD = 4;
  static final int HOST_MALLOC_PORTABLE = 1;

  /** Makes memory coherent. With {@code PORTABLE} alone, the CPU may see the GPU's writes late. */
  static final int HOST_MALLOC_COHERENT = 0x40000000;

  /** The result of {@link #kindOf} for pageable main memory. */
  static final int PAGEABLE = 0;

  /** The result for pinned memory. */
  static final int PINNED = 1;
  /** The result for a GPU's memory. */
  static final int ON_DEVICE = 2;

  private HipMemory() {}

  /** Initialises the class early, so that this does not happen within another operation. */
  static void load() {}

  /**
   * Returns the kind of memory at an address, or HIP's code, negated.
   *
   * <p>The method makes the only call that succeeds for pageable memory, which HIP does not know. Other code would find
   * an error by {@code hipGetLastError}. The method does not use the memory type: its numbers have changed, and older
   * releases look for it behind an address that they do not know.
   */
  static int kindOf(long address) {
    HipThread thread = HipThread.current();
    int code = Hip.DRV_POINTER_GET_ATTRIBUTES.call(HipThread.ASKED, thread.attributes, thread.values, address);
    if (code != Hip.SUCCESS) return -code;
    if (thread.ordinal() < 0) return PAGEABLE;
    return thread.hostPointer() != 0 ? PINNED : ON_DEVICE;
  }
}
