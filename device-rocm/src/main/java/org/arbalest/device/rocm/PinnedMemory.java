// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceType;

/** Main memory with pinned pages, so that every GPU copies from and to it at the speed of the bus. */
final class PinnedMemory extends GpuMemory {
  PinnedMemory(Gpu gpu) {
    super(gpu, DeviceType.ROCM_HOST, Hip.HOST_MALLOC);
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
    return Hip.HOST_FREE.call(address);
  }

  /** Freeing pinned memory waits for the GPU. */
  @Override
  public long cacheBytes() {
    return Gpu.totalMemory(gpu.ordinal) / Pool.KEPT;
  }

  /**
   * Allocates coherent memory that is pinned for all GPUs, writes its address to {@code out}, and returns HIP's code.
   */
  static int tryAllocate(Gpu gpu, long out, long bytes) {
    int before = gpu.enter();
    int code = Hip.HOST_MALLOC.call(out, bytes, HipMemory.HOST_MALLOC_PORTABLE | HipMemory.HOST_MALLOC_COHERENT);
    gpu.leave(before);
    return code;
  }
}
