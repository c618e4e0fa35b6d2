// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import org.arbalest.device.Device;
import org.arbalest.device.DeviceException;

/**
 * Raw HIP ordinals of this library's devices. Streams, events and addresses are those of HIP: {@code stream.handle()}
 * is a {@code hipStream_t}, {@code event.handle()} a {@code hipEvent_t}.
 */
public final class Rocm {
  private Rocm() {}

  /** A device that is current on one thread, until the scope is closed on the same thread. */
  public interface Scope extends AutoCloseable {
    /**
     * Restores the device that was current before. Closing twice does nothing.
     *
     * @throws IllegalStateException on another thread than the one that entered
     */
    @Override
    void close();
  }

  private static final class Entered implements Scope {
    private final Gpu gpu;
    private final Thread thread = Thread.currentThread();
    private final int before;
    private boolean closed;

    Entered(Gpu gpu) {
      this.gpu = gpu;
      this.before = gpu.enter();
    }

    @Override
    public void close() {
      if (!Thread.currentThread().equals(thread))
        throw new IllegalStateException("the device was entered on " + thread + ", but is left on another thread");
      if (!closed) gpu.leave(before);
      closed = true;
    }
  }

  /**
   * Returns HIP's ordinal of a device.
   *
   * @throws IllegalArgumentException if the device is not a ROCm device, or is opaque
   */
  public static int device(Device device) {
    return RocmProvider.gpu(device).ordinal;
  }

  /**
   * Returns the {@code hipMemPool_t} that the process uses by default on a device: its current pool, which serves
   * {@code hipMallocAsync}.
   *
   * @throws DeviceException with {@code ENOSYS} if the device uses no memory pools
   */
  public static long currentPool(Device device) {
    return RocmProvider.gpu(device).pool.current();
  }

  /**
   * Sets the pool of a GPU's next allocations: those of {@code device.memory()}, of each stream's {@code memory()} and
   * of copies to the GPU. Memory that is allocated already stays in its pool. Initially, the library has a pool of its
   * own.
   *
   * <p>The program must be started with {@code -Darbalest.rocm.pools=true}: HIP's pools can deadlock with
   * {@code hipEventSynchronize} of another thread (ROCm/rocm-systems issue 10529).
   *
   * <p>The caller owns the pool, and keeps it until another one is set and the allocations that began before have
   * returned. The library changes none of its settings: the caller grants kernels of other GPUs access to its memory,
   * and trims it. While it may insert dependencies between streams ({@code hipMemPoolReuseAllowInternalDependencies},
   * the default), allocations may wait for work of other streams.
   *
   * @param pool a {@code hipMemPool_t} of this GPU's memory, such as {@link #currentPool}; 0 is the library's own pool
   * @throws DeviceException with {@code ENOSYS} if the device uses no memory pools, {@code EINVAL} if the pool's memory
   *     is not the GPU's own, with HIP's error if the pool serves no memory
   */
  public static void usePool(Device device, long pool) {
    RocmProvider.gpu(device).pool.choose(pool);
  }

  /**
   * Makes a device current on this thread, as a kernel launch requires. The caller closes the scope, before its
   * coroutine suspends.
   *
   * @throws IllegalStateException on a virtual thread, which may continue on another OS thread, where another device is
   *     current
   */
  public static Scope enter(Device device) {
    if (Thread.currentThread().isVirtual())
      throw new IllegalStateException("a virtual thread cannot keep a device: use a platform thread");
    return new Entered(RocmProvider.gpu(device));
  }
}
