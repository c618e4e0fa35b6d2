// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceType;
import org.arbalest.device.MemoryAllocator;

/** An allocator for one kind of a GPU's memory. */
abstract class GpuMemory implements MemoryAllocator {
  final Gpu gpu;
  private final CuFunction function;

  /** The name in error messages, such as {@code CUDA_HOST:0}. */
  final String name;

  GpuMemory(Gpu gpu, DeviceType type, CuFunction function) {
    this.gpu = gpu;
    this.name = type + ":" + gpu.ordinal;
    this.function = function;
  }

  /** Allocates, writes the address to {@code out}, and returns the driver's code. */
  abstract int tryAllocate(MemorySegment out, long bytes);

  /** Frees a block, and returns the driver's code. The context must be current. */
  abstract int freeBlock(long address, long bytes);

  /** Returns kept memory to the GPU. The result is whether an allocation that failed may succeed now. */
  boolean makeRoom() {
    gpu.pool.trim();
    return true;
  }

  /** Returns the driver's own alignment, in bytes. Core provides larger alignments. */
  @Override
  public long alignment() {
    return 256;
  }

  @Override
  public long allocate(long bytes, long alignment) {
    MemorySegment scratch = Cu.scratch();
    int code = tryAllocate(scratch, bytes);
    if (code == Cu.OUT_OF_MEMORY && makeRoom()) {
      code = tryAllocate(scratch, bytes);
    }
    if (code != Cu.SUCCESS) throw failure(code, bytes);
    return scratch.get(JAVA_LONG, 0);
  }

  private DeviceException failure(int code, long bytes) {
    String asked = bytes + " bytes";
    if (code == Cu.OUT_OF_MEMORY && !(this instanceof PinnedMemory)) {
      MemorySegment scratch = Cu.scratch();
      gpu.enter();
      int known = Cu.MEM_GET_INFO.call(scratch.address(), scratch.address() + 8);
      gpu.leave();
      if (known == Cu.SUCCESS)
        asked += "; " + scratch.get(JAVA_LONG, 0) + " of " + scratch.get(JAVA_LONG, 8) + " bytes of the GPU are free";
    }
    return CuErrors.exception(function.label() + " on " + name, code, asked);
  }

  @Override
  public void free(long address, long bytes) {
    free(address, bytes, () -> {});
  }

  @Override
  public void free(long address, long bytes, Runnable freed) {
    int code;
    try {
      code = freeNow(address, bytes);
    } catch (Throwable t) {
      freed.run();
      throw t;
    }
    if (code == Cu.SUCCESS) {
      freed.run();
    } else {
      Frees.CALLS.goOn(code, () -> freeNow(address, bytes), failed -> notFreed(failed, address), freed);
    }
  }

  private DeviceException notFreed(int code, long address) {
    return CuErrors.exception("freeing memory on " + gpu.name, code, "0x" + Long.toHexString(address));
  }

  final int freeNow(long address, long bytes) {
    int code = gpu.push();
    if (code != Cu.SUCCESS) return code;
    code = freeBlock(address, bytes);
    gpu.leave();
    return code;
  }
}
