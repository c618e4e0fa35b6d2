// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceType;
import org.arbalest.device.Errno;

/**
 * Memory that the driver moves between a GPU and the CPU.
 *
 * <p>This class never allocates more of it than the GPU has free, although the driver would. Memory that does not fit
 * moves back and forth, and has stopped whole machines.
 */
final class ManagedMemory extends GpuMemory {
  /** The number of bytes that rounding up an address may cost. */
  private static final long SLACK = 4096;

  /** The allocations of all GPUs, by address: the memory that may receive advice. */
  private static final ConcurrentSkipListMap<Long, Block> BLOCKS = new ConcurrentSkipListMap<>();

  /** Whether any memory has ever received advice. */
  private static volatile boolean hasAdvice;

  private long live;

  /** An allocation of the driver. */
  private static final class Block {
    final long bytes;
    volatile boolean isAdvised;

    Block(long bytes) {
      this.bytes = bytes;
    }
  }

  ManagedMemory(Gpu gpu) {
    super(gpu, DeviceType.CUDA_MANAGED, Cu.MEM_ALLOC_MANAGED);
  }

  @Override
  public boolean isCpuAccessible() {
    return true;
  }

  @Override
  public long allocate(long bytes, long alignment) {
    reserve(bytes);
    try {
      long address = super.allocate(bytes, alignment);
      BLOCKS.put(address, new Block(bytes));
      return address;
    } catch (Throwable t) {
      give(bytes);
      throw t;
    }
  }

  /**
   * Marks the allocation at an address as advised; called before the advice is given. The advice is for the current
   * owner only. Memory that this library did not allocate is ignored.
   */
  static void noteAdvice(long address) {
    Map.Entry<Long, Block> before = BLOCKS.floorEntry(address);
    if (before == null || address - before.getKey() >= before.getValue().bytes) return;
    before.getValue().isAdvised = true;
    hasAdvice = true;
  }

  /**
   * Returns false for advised memory. Advice stays with memory until it is freed: withdrawing it does not restore the
   * original state.
   */
  @Override
  public boolean isReusable(long address, long bytes) {
    if (!hasAdvice) return true;
    Block block = BLOCKS.get(address);
    return block == null || !block.isAdvised;
  }

  @Override
  public void free(long address, long bytes) {
    BLOCKS.remove(address);
    super.free(address, bytes);
    give(bytes);
  }

  /**
   * Counts an allocation, or throws if the GPU has too little free memory. Live managed memory may or may not be on the
   * GPU: the method assumes that all of it will move there.
   */
  private synchronized void reserve(long bytes) {
    long free = freeOnGpu();
    if (bytes > free - SLACK - live && makeRoom()) free = freeOnGpu();
    if (bytes > free - SLACK - live) {
      throw new DeviceException(
          Errno.ENOMEM,
          Cu.MEM_ALLOC_MANAGED.label() + " on " + name + " was not called: asked for " + bytes + " bytes, but "
              + free + " bytes of the GPU are free, and "
              + live + " bytes of managed memory can still move there");
    }
    live += bytes + SLACK;
  }

  private synchronized void give(long bytes) {
    live -= bytes + SLACK;
  }

  private long freeOnGpu() {
    MemorySegment scratch = Cu.scratch();
    gpu.enter();
    int code = Cu.MEM_GET_INFO.call(scratch.address(), scratch.address() + 8);
    gpu.leave();
    gpu.check(code, Cu.MEM_GET_INFO);
    return scratch.get(JAVA_LONG, 0);
  }

  @Override
  int tryAllocate(MemorySegment out, long bytes) {
    gpu.enter();
    int code = Cu.MEM_ALLOC_MANAGED.call(out.address(), bytes, CuMemory.ATTACH_GLOBAL);
    gpu.leave();
    return code;
  }

  @Override
  int freeBlock(long address, long bytes) {
    return Cu.MEM_FREE.call(address);
  }

  /** Freeing managed memory waits for the GPU. */
  @Override
  public long cacheBytes() {
    return Gpu.totalMemory(gpu.ordinal) / Pool.KEPT;
  }
}
