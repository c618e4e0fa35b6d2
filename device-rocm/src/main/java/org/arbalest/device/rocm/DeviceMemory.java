// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceType;

/** A GPU's own memory: from {@code hipMalloc}, whose frees core defers, or from a pool if one was requested. */
final class DeviceMemory extends GpuMemory {
  DeviceMemory(Gpu gpu) {
    super(gpu, DeviceType.ROCM, gpu.pool.isThere() ? Hip.MALLOC_FROM_POOL_ASYNC : Hip.MALLOC);
  }

  @Override
  public boolean isCpuAccessible() {
    return false;
  }

  @Override
  int tryAllocate(MemorySegment out, long bytes) {
    if (gpu.pool.isThere()) return gpu.pool.tryAllocate(out, bytes);
    int before = gpu.enter();
    int code = Hip.MALLOC.call(out.address(), bytes);
    gpu.leave(before);
    return code;
  }

  @Override
  int freeBlock(long address, long bytes) {
    return gpu.pool.isThere() ? gpu.pool.free(address) : Hip.FREE.call(address);
  }

  /** Returns 0 with a pool. Without a pool, freeing waits for the GPU. */
  @Override
  public long cacheBytes() {
    return gpu.pool.isThere() ? 0 : Gpu.totalMemory(gpu.ordinal) / Pool.KEPT;
  }

  @Override
  public void trim() {
    gpu.pool.trim();
  }
}
