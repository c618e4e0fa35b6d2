// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;

/** The constants of the memory functions, and the kinds of addresses; see {@link Cu}. */
final class CuMemory {
  static final int POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES = 3;
  static final int POOL_RELEASE_THRESHOLD = 4;
  static final int HOST_ALLOC_PORTABLE = 1;
  static final int ATTACH_GLOBAL = 1;
  static final int POINTER_MEMORY_TYPE = 2;

  static final int POINTER_DEVICE_ORDINAL = 9;

  /** {@code CU_POINTER_ATTRIBUTE_ACCESS_FLAGS}: the access of the current context's GPU; 0 is none. */
  static final int POINTER_ACCESS_FLAGS = 16;

  /** The result of {@link #kindOf} for pageable main memory. */
  static final int PAGEABLE = 0;

  /** The result for pinned memory, as {@code CU_MEMORYTYPE_HOST}. A GPU's memory has a larger number. */
  static final int PINNED = 1;

  /** The result for a GPU's memory. */
  static final int ON_DEVICE = 2;

  private CuMemory() {}

  /** Initialises the class early, so that this does not happen within another operation. */
  static void load() {}

  /**
   * Returns the kind of memory at an address, or the driver's code, negated. Memory that the driver does not know is
   * pageable. The context must be current.
   */
  static int kindOf(long address) {
    MemorySegment scratch = Cu.scratch();
    int code = Cu.POINTER_GET_ATTRIBUTE.call(scratch.address(), POINTER_MEMORY_TYPE, address);
    if (code == Cu.INVALID_VALUE) return PAGEABLE;
    return code == Cu.SUCCESS ? Math.min(scratch.get(JAVA_INT, 0), ON_DEVICE) : -code;
  }
}
