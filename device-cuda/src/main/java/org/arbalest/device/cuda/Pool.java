// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.arbalest.device.MemoryAllocator;
import org.jspecify.annotations.Nullable;

/**
 * A memory pool of ours on a GPU, and the stream that allocations and frees are ordered by, in which there is nothing
 * else. Not the device's default pool, whose settings are everybody's. Where the device or its driver has no pools, it
 * is empty.
 */
final class Pool {
  /** Freed memory up to this part of the GPU's is kept for the next who asks; other libraries want some, too. */
  static final int KEPT = 8;

  private static final int PROPERTIES_SIZE = 88;
  private static final int ACCESS_SIZE = 12;

  private final Gpu gpu;
  private final long handle;
  private final long stream;

  private Pool(Gpu gpu, long handle, long stream) {
    this.gpu = gpu;
    this.handle = handle;
    this.stream = stream;
  }

  static Pool create(Gpu gpu) {
    if (!CuLibrary.has(Cu.MEM_POOL_CREATE.name())) return none(gpu); // such a driver rejects the attribute, too
    if (Gpu.attribute(gpu.ordinal, Cu.MEMORY_POOLS_SUPPORTED) == 0) return none(gpu);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment properties = arena.allocate(PROPERTIES_SIZE, 8);
      properties.set(JAVA_INT, 0, 1); // CU_MEM_ALLOCATION_TYPE_PINNED
      properties.set(JAVA_INT, 8, 1); // CU_MEM_LOCATION_TYPE_DEVICE
      properties.set(JAVA_INT, 12, gpu.device());
      MemorySegment out = arena.allocate(JAVA_LONG);
      CuCapture.relax();
      int code = Cu.MEM_POOL_CREATE.call(out.address(), properties.address());
      CuCapture.restore();
      if (code == Cu.NOT_SUPPORTED) return none(gpu);
      gpu.check(code, Cu.MEM_POOL_CREATE);
      return create(gpu, out.get(JAVA_LONG, 0), out);
    }
  }

  private static Pool create(Gpu gpu, long handle, MemorySegment out) {
    try {
      set(gpu, handle, CuMemory.POOL_RELEASE_THRESHOLD, Gpu.totalMemory(gpu.ordinal) / KEPT, out);
      // else an allocation may have to wait for a stream of the user's
      set(gpu, handle, CuMemory.POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES, 0, out);
      return new Pool(gpu, handle, Streams.create(gpu));
    } catch (Throwable t) {
      int destroyed = Cu.MEM_POOL_DESTROY.call(handle);
      if (destroyed != Cu.SUCCESS) t.addSuppressed(gpu.error(Cu.MEM_POOL_DESTROY, destroyed, ""));
      throw t;
    }
  }

  /** The integers of 4 bytes among them are those of 8, on machines that have CUDA. */
  private static void set(Gpu gpu, long handle, int attribute, long value, MemorySegment out) {
    out.set(JAVA_LONG, 0, value);
    CuCapture.relax();
    int code = Cu.MEM_POOL_SET_ATTRIBUTE.call(handle, attribute, out.address());
    CuCapture.restore();
    gpu.check(code, Cu.MEM_POOL_SET_ATTRIBUTE);
  }

  private static Pool none(Gpu gpu) {
    return new Pool(gpu, 0, 0);
  }

  boolean isThere() {
    return handle != 0;
  }

  /**
   * Allocates: the driver's code, and the address in {@code out}. The memory is everybody's when this returns, not only
   * what is ordered behind our stream.
   */
  int tryAllocate(MemorySegment out, long bytes) {
    gpu.enter();
    int allocated = Cu.MEM_ALLOC_FROM_POOL_ASYNC.call(out.address(), bytes, handle, stream);
    int synchronizing = allocated == Cu.SUCCESS ? Cu.STREAM_SYNCHRONIZE.call(stream) : Cu.SUCCESS;
    int freed = synchronizing == Cu.SUCCESS ? Cu.SUCCESS : free(out.get(JAVA_LONG, 0));
    gpu.leave();
    if (synchronizing == Cu.SUCCESS) return allocated;
    var failure = gpu.error(Cu.STREAM_SYNCHRONIZE, synchronizing, "the end of an allocation of " + bytes + " bytes");
    if (freed != Cu.SUCCESS) failure.addSuppressed(gpu.error(Cu.MEM_FREE_ASYNC, freed, ""));
    throw failure;
  }

  /** Memory that takes its turn in a stream of somebody's; null where there are no pools. */
  @Nullable
  MemoryAllocator orderedBy(long queue) {
    return isThere() ? new StreamMemory(gpu, handle, queue) : null;
  }

  /** In the context; does not wait. */
  int free(long address) {
    return Cu.MEM_FREE_ASYNC.call(address, stream);
  }

  /** Gives what is kept back to the GPU. */
  void trim() {
    if (!isThere()) return;
    gpu.enter();
    int done = Cu.STREAM_SYNCHRONIZE.call(stream); // frees that are queued are to be over
    int code = done == Cu.SUCCESS ? Cu.MEM_POOL_TRIM_TO.call(handle, 0) : Cu.SUCCESS;
    gpu.leave();
    gpu.check(done, Cu.STREAM_SYNCHRONIZE);
    gpu.check(code, Cu.MEM_POOL_TRIM_TO);
  }

  /** Lets another GPU read and write what comes from here. */
  void letReach(Gpu other) {
    if (!isThere()) return;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment access = arena.allocate(ACCESS_SIZE, 4);
      access.set(JAVA_INT, 0, 1); // CU_MEM_LOCATION_TYPE_DEVICE
      access.set(JAVA_INT, 4, other.device());
      access.set(JAVA_INT, 8, 3); // CU_MEM_ACCESS_FLAGS_PROT_READWRITE
      CuCapture.relax();
      int code = Cu.MEM_POOL_SET_ACCESS.call(handle, access.address(), 1);
      CuCapture.restore();
      gpu.check(code, Cu.MEM_POOL_SET_ACCESS);
    }
  }
}
