// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceType;
import org.arbalest.device.MemoryAllocator;

/** An allocator for one kind of a GPU's memory. */
abstract class GpuMemory implements MemoryAllocator {
  final Gpu gpu;
  private final HipFunction function;

  /** The name in error messages, such as {@code ROCM_HOST:0}. */
  final String name;

  GpuMemory(Gpu gpu, DeviceType type, HipFunction function) {
    this.gpu = gpu;
    this.name = type + ":" + gpu.ordinal;
    this.function = function;
  }

  /** Allocates, writes the address to {@code out}, and returns HIP's code. */
  abstract int tryAllocate(MemorySegment out, long bytes);

  /** Frees a block, and returns HIP's code. */
  abstract int freeBlock(long address, long bytes);

  /** Returns kept memory to the GPU. The result is whether an allocation that failed may succeed now. */
  boolean makeRoom() {
    if (!gpu.pool.isThere()) return false;
    gpu.pool.trim();
    return true;
  }

  /** Returns HIP's own alignment, in bytes. Core provides larger alignments. */
  @Override
  public long alignment() {
    return 256;
  }

  @Override
  public long allocate(long bytes, long alignment) {
    MemorySegment scratch = Hip.scratch();
    int code = tryAllocate(scratch, bytes);
    if (code == Hip.OUT_OF_MEMORY && makeRoom()) {
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
      int known = Hip.MEM_GET_INFO.call(scratch.address(), scratch.address() + 8);
      gpu.leave(before);
      if (known == Hip.SUCCESS)
        asked += "; " + scratch.get(JAVA_LONG, 0) + " of " + scratch.get(JAVA_LONG, 8) + " bytes of the GPU are free";
    }
    return HipErrors.exception(function.name() + " on " + name, code, asked);
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
    if (code == Hip.SUCCESS) {
      freed.run();
    } else {
      Frees.CALLS.goOn(code, () -> freeNow(address, bytes), failed -> notFreed(failed, address), freed);
    }
  }

  private DeviceException notFreed(int code, long address) {
    return HipErrors.exception("freeing memory on " + gpu.name, code, "0x" + Long.toHexString(address));
  }

  final int freeNow(long address, long bytes) {
    HipCapture.relax();
    int code = freeBlock(address, bytes);
    HipCapture.restore();
    return code;
  }
}
