// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;

/** The numbers for the functions of memory, and what an address is; see {@link Cu}. */
final class CuMemory {
  static final int POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES = 3;
  static final int POOL_RELEASE_THRESHOLD = 4;
  static final int HOST_ALLOC_PORTABLE = 1;
  static final int ATTACH_GLOBAL = 1;
  static final int POINTER_MEMORY_TYPE = 2;

  static final int POINTER_DEVICE_ORDINAL = 9;

  /** What {@link #kindOf} answers. */
  static final int PAGEABLE = 0;

  /** As {@code CU_MEMORYTYPE_HOST}; what a GPU has is more. */
  static final int PINNED = 1;

  static final int ON_DEVICE = 2;

  private CuMemory() {}

  /** Initialises the class, so that this does not happen in the middle of something. */
  static void load() {}

  /**
   * What kind of memory an address is in, or the code that the driver failed with, negated. What it does not know is
   * pageable. In the context.
   */
  static int kindOf(long address) {
    MemorySegment scratch = Cu.scratch();
    int code = Cu.POINTER_GET_ATTRIBUTE.call(scratch.address(), POINTER_MEMORY_TYPE, address);
    if (code == Cu.INVALID_VALUE) return PAGEABLE;
    return code == Cu.SUCCESS ? Math.min(scratch.get(JAVA_INT, 0), ON_DEVICE) : -code;
  }
}
