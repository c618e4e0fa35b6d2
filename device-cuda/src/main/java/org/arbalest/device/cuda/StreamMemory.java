// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceType;

/** A GPU's memory from its pool, in the order of one stream: no call waits, and the memory belongs to that stream. */
final class StreamMemory extends GpuMemory {
  private final Pool pool;
  private final long stream;

  StreamMemory(Gpu gpu, Pool pool, long stream) {
    super(gpu, DeviceType.CUDA, Cu.MEM_ALLOC_FROM_POOL_ASYNC);
    this.pool = pool;
    this.stream = stream;
  }

  @Override
  public boolean isCpuAccessible() {
    return false;
  }

  @Override
  int tryAllocate(MemorySegment out, long bytes) {
    gpu.enter();
    int code = Cu.MEM_ALLOC_FROM_POOL_ASYNC.call(out.address(), bytes, pool.chosen(), stream);
    gpu.leave();
    return code;
  }

  @Override
  int freeBlock(long address, long bytes) {
    return Cu.MEM_FREE_ASYNC.call(address, stream);
  }
}
