// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceException;
import org.arbalest.device.abi.DeviceType;
import org.arbalest.device.abi.Errno;

/**
 * Memory that moves between a GPU and the CPU by itself. There is never more of it than the GPU has free, though the driver would give more:
 * what does not fit moves back and forth, and has stopped whole machines.
 */
final class ManagedMemory extends GpuMemory {
  /** What rounding an address up may cost. */
  private static final long SLACK = 4096;

  private long live;

  ManagedMemory(Gpu gpu) {
    super(gpu, DeviceType.CUDA_MANAGED, "cuMemAllocManaged");
  }

  @Override
  public boolean isCpuAccessible() {
    return true;
  }

  @Override
  public long allocate(long bytes, long alignment) {
    reserve(bytes);
    try {
      return super.allocate(bytes, alignment);
    } catch (Throwable t) {
      give(bytes);
      throw t;
    }
  }

  @Override
  public void free(long address, long bytes) {
    super.free(address, bytes);
    give(bytes);
  }

  /** What lives may be on the GPU or not; that all of it will be is assumed. */
  private synchronized void reserve(long bytes) {
    long free = freeOnGpu();
    if (bytes > free - SLACK - live) {
      throw new DeviceException(
          Errno.ENOMEM,
          "cuMemAllocManaged on " + name + " was not called: asked for " + bytes + " bytes, but " + free + " bytes of the GPU are free, and "
              + live + " bytes of managed memory may yet move there");
    }
    live += bytes + SLACK;
  }

  private synchronized void give(long bytes) {
    live -= bytes + SLACK;
  }

  private long freeOnGpu() {
    MemorySegment scratch = Cu.scratch();
    gpu.enter();
    int code = CuMemory.memGetInfo(scratch.address(), scratch.address() + 8);
    gpu.leave();
    gpu.check(code, "cuMemGetInfo");
    return scratch.get(JAVA_LONG, 0);
  }

  @Override
  int tryAllocate(MemorySegment out, long bytes) {
    gpu.enter();
    int code = CuMemory.memAllocManaged(out.address(), bytes, CuMemory.ATTACH_GLOBAL);
    gpu.leave();
    return code;
  }

  @Override
  int freeBlock(long address, long bytes) {
    return CuMemory.memFree(address);
  }

  /** Freeing it waits for the GPU. */
  @Override
  public long cacheBytes() {
    return Gpu.totalMemory(gpu.ordinal) / Pool.KEPT;
  }
}
