// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceType;

/**
 * A GPU's memory that other processes can open: memory from {@code hipMalloc}, in whole units.
 *
 * <p>The runtime takes smaller pieces out of larger blocks, and shares the whole block. With whole units, no other
 * allocation is in the block. Freed memory is never kept for reuse: a process with the handle could still open it.
 */
final class ShareableMemory extends GpuMemory {
  private static final long UNIT = 2L << 20;

  ShareableMemory(Gpu gpu) {
    super(gpu, DeviceType.ROCM, Hip.MALLOC);
  }

  @Override
  public boolean isCpuAccessible() {
    return false;
  }

  @Override
  int tryAllocate(MemorySegment out, long bytes) {
    long size = (bytes + UNIT - 1) & -UNIT;
    if (size < bytes) return Hip.OUT_OF_MEMORY;
    int before = gpu.enter();
    int code = Hip.MALLOC.call(out.address(), size);
    gpu.leave(before);
    return code;
  }

  @Override
  int freeBlock(long address, long bytes) {
    return Hip.FREE.call(address);
  }
}
