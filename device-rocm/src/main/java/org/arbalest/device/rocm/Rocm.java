// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import org.arbalest.device.Device;

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
