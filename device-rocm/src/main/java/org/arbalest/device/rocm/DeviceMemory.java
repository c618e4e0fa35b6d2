// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.abi.DeviceType;

/** A GPU's own memory: from its pool, if there is one. */
final class DeviceMemory extends GpuMemory {
  DeviceMemory(Gpu gpu) {
    super(gpu, DeviceType.ROCM, gpu.pool.isThere() ? "hipMallocFromPoolAsync" : "hipMalloc");
  }

  @Override
  public boolean isCpuAccessible() {
    return false;
  }

  @Override
  int tryAllocate(MemorySegment out, long bytes) {
    if (gpu.pool.isThere()) return gpu.pool.tryAllocate(out, bytes);
    int before = gpu.enter();
    int code = HipMemory.malloc(out.address(), bytes);
    gpu.leave(before);
    return code;
  }

  @Override
  int freeBlock(long address) {
    return gpu.pool.isThere() ? gpu.pool.free(address) : HipMemory.free(address);
  }

  @Override
  boolean freeingWaits() {
    return !gpu.pool.isThere();
  }
}
