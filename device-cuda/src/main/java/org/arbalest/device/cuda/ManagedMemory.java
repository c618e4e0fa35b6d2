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
 * Memory that moves between a GPU and the CPU by itself. There is never more of it than the GPU has free, though the
 * driver would give more: what does not fit moves back and forth, and has stopped whole machines.
 */
final class ManagedMemory extends GpuMemory {
  /** What rounding an address up may cost. */
  private static final long SLACK = 4096;

  /** Of all GPUs, by their addresses: what advice may be given for. */
  private static final ConcurrentSkipListMap<Long, Block> BLOCKS = new ConcurrentSkipListMap<>();

  /** Whether there ever was any. */
  private static volatile boolean hasAdvice;

  private long live;

  /** What the driver has allocated. */
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

  /** Some memory is about to be given advice, which is its owner's; somebody else's memory is none of ours. */
  static void noteAdvice(long address) {
    Map.Entry<Long, Block> before = BLOCKS.floorEntry(address);
    if (before == null || address - before.getKey() >= before.getValue().bytes) return;
    before.getValue().isAdvised = true;
    hasAdvice = true;
  }

  /** Advice stays with the memory until that is freed: taking it back is not as if it had not been given. */
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

  /** What lives may be on the GPU or not; that all of it will be is assumed. */
  private synchronized void reserve(long bytes) {
    long free = freeOnGpu();
    if (bytes > free - SLACK - live && makeRoom()) free = freeOnGpu();
    if (bytes > free - SLACK - live) {
      throw new DeviceException(
          Errno.ENOMEM,
          Cu.MEM_ALLOC_MANAGED.label() + " on " + name + " was not called: asked for " + bytes + " bytes, but "
              + free + " bytes of the GPU are free, and "
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

  /** Freeing it waits for the GPU. */
  @Override
  public long cacheBytes() {
    return Gpu.totalMemory(gpu.ordinal) / Pool.KEPT;
  }
}
