// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceType;

/** A GPU's own memory: from its pool, if it has one. */
final class DeviceMemory extends GpuMemory {
  DeviceMemory(Gpu gpu) {
    super(gpu, DeviceType.CUDA, gpu.pool.isThere() ? Cu.MEM_ALLOC_FROM_POOL_ASYNC : Cu.MEM_ALLOC);
  }

  @Override
  public boolean isCpuAccessible() {
    return false;
  }

  @Override
  int tryAllocate(MemorySegment out, long bytes) {
    if (gpu.pool.isThere()) return gpu.pool.tryAllocate(out, bytes);
    gpu.enter();
    int code = Cu.MEM_ALLOC.call(out.address(), bytes);
    gpu.leave();
    return code;
  }

  @Override
  int freeBlock(long address, long bytes) {
    return gpu.pool.isThere() ? gpu.pool.free(address) : Cu.MEM_FREE.call(address);
  }

  /** Returns 0 with a pool, which itself keeps freed memory. Without a pool, freeing waits for the GPU. */
  @Override
  public long cacheBytes() {
    return gpu.pool.isThere() ? 0 : Gpu.totalMemory(gpu.ordinal) / Pool.KEPT;
  }

  @Override
  public void trim() {
    gpu.pool.trim();
  }
}
