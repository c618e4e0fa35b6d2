// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceType;

/**
 * A GPU's memory that other processes can open: memory from {@code cuMemAlloc}, in whole units.
 *
 * <p>The driver takes smaller pieces out of larger blocks, and shares the whole block. With whole units, no other
 * allocation is in the block. Freed memory is never kept for reuse: a process with the handle could still open it.
 */
class ShareableMemory extends GpuMemory {
  private static final long UNIT = 2L << 20;

  ShareableMemory(Gpu gpu) {
    this(gpu, Cu.MEM_ALLOC);
  }

  ShareableMemory(Gpu gpu, CuFunction function) {
    super(gpu, DeviceType.CUDA, function);
  }

  @Override
  public final boolean isCpuAccessible() {
    return false;
  }

  @Override
  int tryAllocate(MemorySegment out, long bytes) {
    long size = (bytes + UNIT - 1) & -UNIT;
    if (size < bytes) return Cu.OUT_OF_MEMORY;
    gpu.enter();
    int code = Cu.MEM_ALLOC.call(out.address(), size);
    gpu.leave();
    return code;
  }

  @Override
  int freeBlock(long address, long bytes) {
    return Cu.MEM_FREE.call(address);
  }
}
