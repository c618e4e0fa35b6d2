// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.arbalest.device.DeviceException;
import org.arbalest.device.abi.DeviceType;
import org.arbalest.device.spi.MemoryAllocator;

/** Memory of one of a GPU's kinds. */
abstract class GpuMemory implements MemoryAllocator {
  final Gpu gpu;
  private final String function;

  /** Such as {@code ROCM_HOST:0}. */
  final String name;

  /** Where blocks begin whose address had to be rounded up; few ask for such an alignment. */
  private final Map<Long, Long> blocks = new ConcurrentHashMap<>();

  GpuMemory(Gpu gpu, DeviceType type, String function) {
    this.gpu = gpu;
    this.name = type + ":" + gpu.ordinal;
    this.function = function;
  }

  /** Allocates: HIP's code, and the address in {@code out}. */
  abstract int tryAllocate(MemorySegment out, long bytes);

  /** Frees: HIP's code. */
  abstract int freeBlock(long address);

  /** Whether freeing waits until the GPU is idle, as HIP's synchronous functions do. */
  abstract boolean freeingWaits();

  @Override
  public long allocate(long bytes, long alignment) {
    long block = allocateBlock(bytes);
    if ((block & (alignment - 1)) == 0) return block;
    free(block, bytes);
    block = allocateBlock(bytes + alignment);
    long address = (block + alignment - 1) & -alignment;
    blocks.put(address, block);
    return address;
  }

  private long allocateBlock(long bytes) {
    MemorySegment scratch = Hip.scratch();
    int code = tryAllocate(scratch, bytes);
    if (code == Hip.OUT_OF_MEMORY) { // what is being freed, or kept, may do
      if (freeingWaits()) Frees.drain();
      gpu.pool.trim();
      code = tryAllocate(scratch, bytes);
      if (code == Hip.SUCCESS) HipErrors.forget();
    }
    if (code != Hip.SUCCESS) throw failure(code, bytes);
    return scratch.get(JAVA_LONG, 0);
  }

  private DeviceException failure(int code, long bytes) {
    String asked = bytes + " bytes";
    if (code == Hip.OUT_OF_MEMORY && !(this instanceof PinnedMemory)) {
      MemorySegment scratch = Hip.scratch();
      int before = gpu.enter();
      int known = HipMemory.memGetInfo(scratch.address(), scratch.address() + 8);
      gpu.leave(before);
      if (known == Hip.SUCCESS) asked += "; " + scratch.get(JAVA_LONG, 0) + " of the GPU's " + scratch.get(JAVA_LONG, 8) + " bytes are free";
    }
    return HipErrors.exception(function + " on " + name, code, asked);
  }

  @Override
  public void free(long address, long bytes) {
    Long rounded = blocks.isEmpty() ? null : blocks.remove(address);
    long block = rounded == null ? address : rounded;
    if (freeingWaits()) {
      Frees.give(gpu, "freeing memory", "0x" + Long.toHexString(block), () -> freeNow(block));
      return;
    }
    int code = freeNow(block);
    if (code != Hip.SUCCESS) Frees.goOn(code, gpu, "freeing memory", "0x" + Long.toHexString(block), () -> freeNow(block));
  }

  private int freeNow(long block) {
    HipCapture.relax();
    int code = freeBlock(block);
    HipCapture.restore();
    return code;
  }
}
