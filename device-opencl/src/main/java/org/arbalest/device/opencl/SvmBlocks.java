// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * Which shared virtual memory a driver has allocated: OpenCL does not say in which allocation an address lies, and a
 * {@code cl_mem} is made of a whole one. Looked at when a {@code cl_mem} is made, and when an array comes in.
 */
final class SvmBlocks {
  private final ConcurrentSkipListMap<Long, Long> sizes = new ConcurrentSkipListMap<>();

  /** An allocation. */
  record Block(long base, long bytes) {}

  void add(long base, long bytes) {
    sizes.put(base, bytes);
  }

  void remove(long base) {
    sizes.remove(base);
  }

  /** The allocation that an address lies in, or null. */
  @Nullable
  Block of(long address) {
    Map.Entry<Long, Long> before = sizes.floorEntry(address);
    return before == null || address - before.getKey() >= before.getValue() ? null
        : new Block(before.getKey(), before.getValue());
  }
}
