// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

/** The numbers for the functions of memory, and what an address is; see {@link Hip}. */
final class HipMemory {
  static final int POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES = 3;
  static final int POOL_RELEASE_THRESHOLD = 4;
  static final int HOST_MALLOC_PORTABLE = 1;

  /** Without it, {@code PORTABLE} alone gives memory that the CPU may see the GPU's writes to late. */
  static final int HOST_MALLOC_COHERENT = 0x40000000;

  /** What {@link #kindOf} answers. */
  static final int PAGEABLE = 0;

  static final int PINNED = 1;
  static final int ON_DEVICE = 2;

  private HipMemory() {}

  /** Initialises the class, so that this does not happen in the middle of something. */
  static void load() {}

  /**
   * What kind of memory an address is in, or the code that HIP failed with, negated.
   *
   * <p>By the one call that knows nothing of pageable memory and still is no error, which others would find by
   * {@code hipGetLastError}. Not by the memory type: its numbers have changed, and older releases look for it behind an
   * address that they do not know.
   */
  static int kindOf(long address) {
    HipThread thread = HipThread.current();
    int code = Hip.DRV_POINTER_GET_ATTRIBUTES.call(HipThread.ASKED, thread.attributes, thread.values, address);
    if (code != Hip.SUCCESS) return -code;
    if (thread.ordinal() < 0) return PAGEABLE;
    return thread.hostPointer() != 0 ? PINNED : ON_DEVICE;
  }
}
