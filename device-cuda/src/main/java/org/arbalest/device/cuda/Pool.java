// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.MemoryAllocator;
import org.jspecify.annotations.Nullable;

/**
 * The memory pools that serve a GPU's allocations: the library's own, unless the application chooses another one. The
 * settings of the device's default pool belong to all libraries. There is no pool if the device or its driver has none.
 *
 * <p>The own pool's stream orders its allocations and all frees; no other work is in that stream.
 */
final class Pool {
  /**
   * The pool keeps freed memory for later allocations, up to the GPU's memory divided by this number. Other libraries
   * need memory, too.
   */
  static final int KEPT = 8;

  private static final int PROPERTIES_SIZE = 88;
  private static final int ACCESS_SIZE = 12;

  /** A pool, and the stream that orders its allocations. */
  private record Source(long pool, long stream) {}

  private final Gpu gpu;

  /** The library's own pool; its handle is 0 without a pool. */
  private final Source own;

  /** The stream for allocations from pools of other libraries, which may wait for their work; 0 until it is needed. */
  private long foreignStream;

  /** The pool of the next allocations. A free names no pool. */
  private volatile Source chosen;

  private Pool(Gpu gpu, long handle, long stream) {
    this.gpu = gpu;
    this.own = new Source(handle, stream);
    this.chosen = own;
  }

  static Pool create(Gpu gpu) {
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
      // otherwise an allocation may have to wait for a stream of the application
      set(gpu, handle, CuMemory.POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES, 0, out);
      return new Pool(gpu, handle, Streams.create(gpu));
    } catch (Throwable t) {
      int destroyed = Cu.MEM_POOL_DESTROY.call(handle);
      if (destroyed != Cu.SUCCESS) t.addSuppressed(gpu.error(Cu.MEM_POOL_DESTROY, destroyed, ""));
      throw t;
    }
  }

  /**
   * Sets an attribute. Some attributes are integers of 4 bytes: on machines with CUDA, one of 8 bytes serves as well.
   */
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

  /** Returns whether the pool exists. */
  boolean isThere() {
    return own.pool != 0;
  }

  /**
   * Allocates, writes the address to {@code out}, and returns the driver's code. When this returns, all work may use
   * the memory, not only work that is ordered behind the pool's stream.
   */
  int tryAllocate(MemorySegment out, long bytes) {
    return tryAllocate(out, bytes, chosen);
  }

  private int tryAllocate(MemorySegment out, long bytes, Source from) {
    gpu.enter();
    int allocated = Cu.MEM_ALLOC_FROM_POOL_ASYNC.call(out.address(), bytes, from.pool, from.stream);
    int synchronizing = allocated == Cu.SUCCESS ? Cu.STREAM_SYNCHRONIZE.call(from.stream) : Cu.SUCCESS;
    int freed = synchronizing == Cu.SUCCESS ? Cu.SUCCESS : free(out.get(JAVA_LONG, 0));
    gpu.leave();
    if (synchronizing == Cu.SUCCESS) return allocated;
    var failure = gpu.error(Cu.STREAM_SYNCHRONIZE, synchronizing, "the end of an allocation of " + bytes + " bytes");
    if (freed != Cu.SUCCESS) failure.addSuppressed(gpu.error(Cu.MEM_FREE_ASYNC, freed, ""));
    throw failure;
  }

  /** Returns memory in the order of the given stream; null without a pool. */
  @Nullable
  MemoryAllocator orderedBy(long queue) {
    return isThere() ? new StreamMemory(gpu, this, queue) : null;
  }

  /** Returns the handle of the pool that serves the next allocation. */
  long chosen() {
    return chosen.pool;
  }

  /** Returns the handle of the device's current pool, which serves {@code cuMemAllocAsync}. */
  long current() {
    if (!isThere()) throw missing();
    MemorySegment scratch = Cu.scratch();
    CuCapture.relax();
    int code = Cu.DEVICE_GET_MEM_POOL.call(scratch.address(), gpu.device());
    CuCapture.restore();
    gpu.check(code, Cu.DEVICE_GET_MEM_POOL);
    return scratch.get(JAVA_LONG, 0);
  }

  /** Serves the next allocations from another pool, or from the library's own if the handle is 0. */
  synchronized void choose(long pool) {
    if (!isThere()) throw missing();
    if (pool == 0 || pool == own.pool) {
      chosen = own;
      return;
    }
    if (CuAddress.isImpossible(pool))
      throw new DeviceException(Errno.EINVAL, "0x" + Long.toHexString(pool) + " is not a pool of " + gpu.name);
    if (foreignStream == 0) foreignStream = Streams.create(gpu);
    Source other = new Source(pool, foreignStream);
    tryOnce(other);
    trim();
    chosen = other;
  }

  /** Allocates from a pool once, and frees that. Throws if the memory is not this GPU's own. */
  private void tryOnce(Source from) {
    MemorySegment scratch = Cu.scratch();
    int code = tryAllocate(scratch, 1, from);
    if (code == Cu.OUT_OF_MEMORY) {
      trim();
      code = tryAllocate(scratch, 1, from);
    }
    if (code != Cu.SUCCESS) throw gpu.error(Cu.MEM_ALLOC_FROM_POOL_ASYNC, code, "a byte of the chosen pool");
    long address = scratch.get(JAVA_LONG, 0);
    String place;
    try {
      place = CuAddress.outside(gpu, address);
    } finally {
      gpu.deviceMemory.free(address, 1);
    }
    if (place != null)
      throw new DeviceException(Errno.EINVAL, "the pool's memory is " + place + ", but it was chosen for " + gpu.name);
  }

  private DeviceException missing() {
    return new DeviceException(Errno.ENOSYS, gpu.name + " has no memory pools, or its driver is older than CUDA 11.2");
  }

  /** Queues a free, and returns the driver's code. Does not wait. The context must be current. */
  int free(long address) {
    return Cu.MEM_FREE_ASYNC.call(address, own.stream);
  }

  /** Returns the memory that the library's own pool keeps to the GPU. */
  void trim() {
    if (!isThere()) return;
    gpu.enter();
    int done = Cu.STREAM_SYNCHRONIZE.call(own.stream); // queued frees must be done first
    int code = done == Cu.SUCCESS ? Cu.MEM_POOL_TRIM_TO.call(own.pool, 0) : Cu.SUCCESS;
    gpu.leave();
    gpu.check(done, Cu.STREAM_SYNCHRONIZE);
    gpu.check(code, Cu.MEM_POOL_TRIM_TO);
  }

  /** Lets another GPU read and write the memory of the library's own pool. */
  void letReach(Gpu other) {
    if (!isThere()) return;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment access = arena.allocate(ACCESS_SIZE, 4);
      access.set(JAVA_INT, 0, 1); // CU_MEM_LOCATION_TYPE_DEVICE
      access.set(JAVA_INT, 4, other.device());
      access.set(JAVA_INT, 8, 3); // CU_MEM_ACCESS_FLAGS_PROT_READWRITE
      CuCapture.relax();
      int code = Cu.MEM_POOL_SET_ACCESS.call(own.pool, access.address(), 1);
      CuCapture.restore();
      gpu.check(code, Cu.MEM_POOL_SET_ACCESS);
    }
  }
}
