// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceType;

/** Main memory with pinned pages, so that every GPU copies from and to it at the speed of the bus. */
final class PinnedMemory extends GpuMemory {
  PinnedMemory(Gpu gpu) {
    super(gpu, DeviceType.CUDA_HOST, Cu.MEM_HOST_ALLOC);
  }

  @Override
  public boolean isCpuAccessible() {
    return true;
  }

  @Override
  int tryAllocate(MemorySegment out, long bytes) {
    return tryAllocate(gpu, out.address(), bytes);
  }

  @Override
  int freeBlock(long address, long bytes) {
    return Cu.MEM_FREE_HOST.call(address);
  }

  /** Freeing pinned memory waits for the GPU. */
  @Override
  public long cacheBytes() {
    return Gpu.totalMemory(gpu.ordinal) / Pool.KEPT;
  }

  /** Allocates memory that is pinned for all GPUs, writes its address to {@code out}, and returns the driver's code. */
  static int tryAllocate(Gpu gpu, long out, long bytes) {
    gpu.enter();
    int code = Cu.MEM_HOST_ALLOC.call(out, bytes, CuMemory.HOST_ALLOC_PORTABLE);
    gpu.leave();
    return code;
  }
}
