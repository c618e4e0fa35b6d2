// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceType;

/** A GPU's memory from its pool, in the order of one stream: no call waits, and the memory belongs to that stream. */
final class StreamMemory extends GpuMemory {
  private final Pool pool;
  private final long stream;

  StreamMemory(Gpu gpu, Pool pool, long stream) {
    super(gpu, DeviceType.ROCM, Hip.MALLOC_FROM_POOL_ASYNC);
    this.pool = pool;
    this.stream = stream;
  }

  @Override
  public boolean isCpuAccessible() {
    return false;
  }

  @Override
  int tryAllocate(MemorySegment out, long bytes) {
    int before = gpu.enter();
    int code = Pool.mallocAsync(out, bytes, pool.chosen(), stream);
    gpu.leave(before);
    return code;
  }

  @Override
  int freeBlock(long address, long bytes) {
    int before = gpu.pushOrdered();
    if (before < 0) return -before;
    int code = Hip.FREE_ASYNC.call(address, stream);
    gpu.leave(before);
    return code;
  }
}
