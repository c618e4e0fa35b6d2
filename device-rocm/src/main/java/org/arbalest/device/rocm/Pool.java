// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceException;
import org.arbalest.device.MemoryAllocator;
import org.jspecify.annotations.Nullable;

/**
 * The library's memory pool on a GPU, and the stream that orders its allocations and frees. No other work is in that
 * stream. It is not the device's default pool, whose settings other libraries share.
 *
 * <p>The pool exists only if the system property {@value #REQUESTED} is {@code true}. Otherwise it is empty, and also
 * if the device or its release of ROCm has no pools. The library detects that by trying, since the number of the
 * attribute depends on the release.
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

  private final Gpu gpu;
  private final long handle;
  private final long stream;

  private Pool(Gpu gpu, long handle, long stream) {
    this.gpu = gpu;
    this.handle = handle;
    this.stream = stream;
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
    return handle != 0;
  }

  /**
   * Allocates, writes the address to {@code out}, and returns HIP's code. When this returns, all work may use the
   * memory, not only work that is ordered behind the pool's stream.
   */
  int tryAllocate(MemorySegment out, long bytes) {
    int before = gpu.enter();
    int allocated = mallocAsync(out, bytes, handle, stream);
    long address = allocated == Hip.SUCCESS ? out.get(JAVA_LONG, 0) : 0;
    int synchronizing = address != 0 ? Hip.STREAM_SYNCHRONIZE.call(stream) : Hip.SUCCESS;
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
    return isThere() ? new StreamMemory(gpu, handle, queue) : null;
  }

  /** Queues a free, and returns HIP's code. Does not wait. */
  int free(long address) {
    return Hip.FREE_ASYNC.call(address, stream);
  }

  /**
   * Allocates in a stream's order, writes the address to {@code out}, and returns HIP's code. The device must be
   * current.
   */
  static int mallocAsync(MemorySegment out, long bytes, long pool, long stream) {
    int code = Hip.MALLOC_FROM_POOL_ASYNC.call(out.address(), bytes, pool, stream);
    return code == Hip.SUCCESS && out.get(JAVA_LONG, 0) == 0 ? Hip.OUT_OF_MEMORY : code; // ROCm 5 reports it by null
  }

  /** Returns the kept memory to the GPU. */
  void trim() {
    if (!isThere()) return;
    int before = gpu.enter();
    int done = Hip.STREAM_SYNCHRONIZE.call(stream); // queued frees must be done first
    int code = done == Hip.SUCCESS ? Hip.MEM_POOL_TRIM_TO.call(handle, 0) : Hip.SUCCESS;
    gpu.leave(before);
    gpu.check(done, Hip.STREAM_SYNCHRONIZE);
    gpu.check(code, Hip.MEM_POOL_TRIM_TO);
  }

  /** Lets another GPU read and write the pool's memory. */
  void letReach(Gpu other) {
    if (!isThere()) return;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment access = arena.allocate(ACCESS_SIZE, 4);
      access.set(JAVA_INT, 0, 1); // hipMemLocationTypeDevice
      access.set(JAVA_INT, 4, other.ordinal);
      access.set(JAVA_INT, 8, 3); // hipMemAccessFlagsProtReadWrite
      HipCapture.relax();
      int code = Hip.MEM_POOL_SET_ACCESS.call(handle, access.address(), 1);
      HipCapture.restore();
      gpu.check(code, Hip.MEM_POOL_SET_ACCESS);
    }
  }
}
