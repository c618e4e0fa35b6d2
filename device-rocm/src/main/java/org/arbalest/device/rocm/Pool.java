// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

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
 * settings of the device's default pool belong to all libraries. The own pool's stream orders its allocations and all
 * frees; no other work is in that stream.
 *
 * <p>There are pools only if the system property {@value #REQUESTED} is {@code true}, and not if the device or its
 * release of ROCm has none. The library detects that by trying, since the number of the attribute depends on the
 * release.
 *
 * <p>Pools are not the default. HIP's pools may deadlock with {@code hipEventSynchronize} of another thread
 * (ROCm/rocm-systems issue 10529). They also keep no freed memory, regardless of the release threshold (issue 11690).
 */
final class Pool {
  /**
   * The pool keeps freed memory for later allocations, up to the GPU's memory divided by this number. Other libraries
   * need memory, too.
   */
  static final int KEPT = 8;

  /** The system property that requests pools. */
  static final String REQUESTED = "arbalest.rocm.pools";

  /**
   * The size of {@code hipMemPoolProps}, in bytes. Its first 16 bytes have not changed, and zero is the default of all
   * later additions.
   */
  private static final int PROPERTIES_SIZE = 88;

  private static final int ACCESS_SIZE = 12;
  private static final int TRIED = 256;

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
    if (!Boolean.getBoolean(REQUESTED)) return new Pool(gpu, 0, 0);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment properties = arena.allocate(PROPERTIES_SIZE, 8);
      properties.set(JAVA_INT, 0, 1); // hipMemAllocationTypePinned
      properties.set(JAVA_INT, 8, 1); // hipMemLocationTypeDevice
      properties.set(JAVA_INT, 12, gpu.ordinal);
      MemorySegment out = arena.allocate(JAVA_LONG);
      HipCapture.relax();
      int code = Hip.MEM_POOL_CREATE.call(out.address(), properties.address());
      HipCapture.restore();
      if (code == Hip.NOT_SUPPORTED) return none(gpu);
      gpu.check(code, Hip.MEM_POOL_CREATE);
      return create(gpu, out.get(JAVA_LONG, 0), out);
    }
  }

  private static Pool create(Gpu gpu, long handle, MemorySegment out) {
    long stream = 0;
    try {
      set(gpu, handle, HipMemory.POOL_RELEASE_THRESHOLD, Gpu.totalMemory(gpu.ordinal) / KEPT, out);
      // otherwise an allocation may have to wait for a stream of the application
      set(gpu, handle, HipMemory.POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES, 0, out);
      stream = Streams.create(gpu);
      Pool pool = new Pool(gpu, handle, stream);
      if (pool.works(out)) return pool;
    } catch (Throwable t) {
      destroy(gpu, handle, stream, t);
      throw t;
    }
    destroy(gpu, handle, stream, null);
    return none(gpu);
  }

  /**
   * Sets an attribute. Some attributes are integers of 4 bytes: on machines with HIP, one of 8 bytes serves as well.
   */
  private static void set(Gpu gpu, long handle, int attribute, long value, MemorySegment out) {
    out.set(JAVA_LONG, 0, value);
    HipCapture.relax();
    int code = Hip.MEM_POOL_SET_ATTRIBUTE.call(handle, attribute, out.address());
    HipCapture.restore();
    gpu.check(code, Hip.MEM_POOL_SET_ATTRIBUTE);
  }

  private static Pool none(Gpu gpu) {
    HipErrors.forget();
    return new Pool(gpu, 0, 0);
  }

  private static void destroy(Gpu gpu, long handle, long stream, @Nullable Throwable why) {
    int ended = stream == 0 ? Hip.SUCCESS : Hip.STREAM_DESTROY.call(stream);
    int destroyed = Hip.MEM_POOL_DESTROY.call(handle);
    if (ended != Hip.SUCCESS) suppress(gpu.error(Hip.STREAM_DESTROY, ended, ""), why);
    if (destroyed != Hip.SUCCESS) suppress(gpu.error(Hip.MEM_POOL_DESTROY, destroyed, ""), why);
  }

  private static void suppress(DeviceException failure, @Nullable Throwable why) {
    if (why == null) throw failure;
    why.addSuppressed(failure);
  }

  private boolean works(MemorySegment out) {
    int code = tryAllocate(out, TRIED);
    if (code == Hip.NOT_SUPPORTED) return false;
    gpu.check(code, Hip.MALLOC_FROM_POOL_ASYNC);
    gpu.check(free(out.get(JAVA_LONG, 0)), Hip.FREE_ASYNC);
    return true;
  }

  /** Returns whether the pool exists. */
  boolean isThere() {
    return own.pool != 0;
  }

  /**
   * Allocates, writes the address to {@code out}, and returns HIP's code. When this returns, all work may use the
   * memory, not only work that is ordered behind the pool's stream.
   */
  int tryAllocate(MemorySegment out, long bytes) {
    return tryAllocate(out, bytes, chosen);
  }

  private int tryAllocate(MemorySegment out, long bytes, Source from) {
    int before = gpu.enter();
    int allocated = mallocAsync(out, bytes, from.pool, from.stream);
    long address = allocated == Hip.SUCCESS ? out.get(JAVA_LONG, 0) : 0;
    int synchronizing = address != 0 ? Hip.STREAM_SYNCHRONIZE.call(from.stream) : Hip.SUCCESS;
    int freed = synchronizing == Hip.SUCCESS ? Hip.SUCCESS : free(address);
    gpu.leave(before);
    if (synchronizing == Hip.SUCCESS) return allocated;
    var failure = gpu.error(Hip.STREAM_SYNCHRONIZE, synchronizing, "the end of an allocation of " + bytes + " bytes");
    if (freed != Hip.SUCCESS) failure.addSuppressed(gpu.error(Hip.FREE_ASYNC, freed, ""));
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

  /** Returns the handle of the device's current pool, which serves {@code hipMallocAsync}. */
  long current() {
    if (!isThere()) throw missing();
    MemorySegment scratch = Hip.scratch();
    HipCapture.relax();
    int code = Hip.DEVICE_GET_MEM_POOL.call(scratch.address(), gpu.ordinal);
    HipCapture.restore();
    gpu.check(code, Hip.DEVICE_GET_MEM_POOL);
    return scratch.get(JAVA_LONG, 0);
  }

  /** Serves the next allocations from another pool, or from the library's own if the handle is 0. */
  synchronized void choose(long pool) {
    if (!isThere()) throw missing();
    if (pool == 0 || pool == own.pool) {
      chosen = own;
      return;
    }
    if (HipAddress.isImpossible(pool))
      throw new DeviceException(Errno.EINVAL, "0x" + Long.toHexString(pool) + " is not a pool of " + gpu.name);
    if (foreignStream == 0) foreignStream = Streams.create(gpu);
    Source other = new Source(pool, foreignStream);
    tryOnce(other);
    trim();
    chosen = other;
  }

  /** Allocates from a pool once, and frees that. Throws if the memory is not this GPU's own. */
  private void tryOnce(Source from) {
    MemorySegment scratch = Hip.scratch();
    int code = tryAllocate(scratch, TRIED, from);
    if (code == Hip.OUT_OF_MEMORY) {
      trim();
      code = tryAllocate(scratch, TRIED, from);
      if (code == Hip.SUCCESS) HipErrors.forget();
    }
    if (code != Hip.SUCCESS) throw gpu.error(Hip.MALLOC_FROM_POOL_ASYNC, code, TRIED + " bytes of the chosen pool");
    long address = scratch.get(JAVA_LONG, 0);
    String place;
    try {
      place = HipAddress.outside(gpu, address);
    } finally {
      gpu.deviceMemory.free(address, TRIED);
    }
    if (place != null)
      throw new DeviceException(Errno.EINVAL, "the pool's memory is " + place + ", but it was chosen for " + gpu.name);
  }

  private DeviceException missing() {
    return new DeviceException(Errno.ENOSYS, gpu.name + " uses no memory pools: HIP has none, or the program was "
        + "started without -D" + REQUESTED + "=true");
  }

  /** Queues a free, and returns HIP's code. Does not wait. */
  int free(long address) {
    return Hip.FREE_ASYNC.call(address, own.stream);
  }

  /**
   * Allocates in a stream's order, writes the address to {@code out}, and returns HIP's code. The device must be
   * current.
   */
  static int mallocAsync(MemorySegment out, long bytes, long pool, long stream) {
    int code = Hip.MALLOC_FROM_POOL_ASYNC.call(out.address(), bytes, pool, stream);
    return code == Hip.SUCCESS && out.get(JAVA_LONG, 0) == 0 ? Hip.OUT_OF_MEMORY : code; // ROCm 5 reports it by null
  }

  /** Returns the memory that the library's own pool keeps to the GPU. */
  void trim() {
    if (!isThere()) return;
    int before = gpu.enter();
    int done = Hip.STREAM_SYNCHRONIZE.call(own.stream); // queued frees must be done first
    int code = done == Hip.SUCCESS ? Hip.MEM_POOL_TRIM_TO.call(own.pool, 0) : Hip.SUCCESS;
    gpu.leave(before);
    gpu.check(done, Hip.STREAM_SYNCHRONIZE);
    gpu.check(code, Hip.MEM_POOL_TRIM_TO);
  }

  /** Lets another GPU read and write the memory of the library's own pool. */
  void letReach(Gpu other) {
    if (!isThere()) return;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment access = arena.allocate(ACCESS_SIZE, 4);
      access.set(JAVA_INT, 0, 1); // hipMemLocationTypeDevice
      access.set(JAVA_INT, 4, other.ordinal);
      access.set(JAVA_INT, 8, 3); // hipMemAccessFlagsProtReadWrite
      HipCapture.relax();
      int code = Hip.MEM_POOL_SET_ACCESS.call(own.pool, access.address(), 1);
      HipCapture.restore();
      gpu.check(code, Hip.MEM_POOL_SET_ACCESS);
    }
  }
}
