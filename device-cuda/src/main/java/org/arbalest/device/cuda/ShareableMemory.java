// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceType;

/**
 * A GPU's memory that other processes can open: what {@code cuMemAlloc} gave, in whole units. Smaller pieces the driver
 * takes out of larger blocks, and shares the block: so nobody else has anything in one of these. Never kept for later:
 * whoever has the handle could still open it.
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
