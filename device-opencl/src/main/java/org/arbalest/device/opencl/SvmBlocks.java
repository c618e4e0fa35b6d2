// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * The allocations of shared virtual memory of a driver. OpenCL does not report the allocation of an address, and a
 * {@code cl_mem} is created for a whole allocation. Read when a {@code cl_mem} is created, and when an array is
 * imported.
 */
final class SvmBlocks {
  private final ConcurrentSkipListMap<Long, Long> sizes = new ConcurrentSkipListMap<>();

  /** An allocation: its first address, and its size in bytes. */
  record Block(long base, long bytes) {}

  void add(long base, long bytes) {
    sizes.put(base, bytes);
  }

  void remove(long base) {
    sizes.remove(base);
  }

  /** Returns the allocation that contains an address, or null. */
  @Nullable
  Block of(long address) {
    Map.Entry<Long, Long> before = sizes.floorEntry(address);
    return before == null || address - before.getKey() >= before.getValue() ? null
        : new Block(before.getKey(), before.getValue());
  }
}
