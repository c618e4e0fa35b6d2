// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import org.arbalest.device.Device;

/** What CUDA programs need to know of our devices: raw handles, which are borrowed and live as long as the process. */
public final class Cuda {
  private Cuda() {}

  /** A context that is current on this thread until it is closed, on the same thread. */
  public interface Scope extends AutoCloseable {
    /**
     * Restores what was current before. Closing twice does nothing.
     *
     * @throws IllegalStateException on another thread than the one that entered
     */
    @Override
    void close();
  }

  private static final class Entered implements Scope {
    private final Gpu gpu;
    private final Thread thread = Thread.currentThread();
    private boolean closed;

    Entered(Gpu gpu) {
      this.gpu = gpu;
      gpu.enterOrdered(); // the mode for captures is the user's
    }

    @Override
    public void close() {
      if (!Thread.currentThread().equals(thread)) throw new IllegalStateException("the context was entered on " + thread + ", and is left on another");
      if (!closed) gpu.leave();
      closed = true;
    }
  }

  /**
   * The {@code CUcontext} that a device works in: its GPU's primary context, which the CUDA runtime uses as well.
   *
   * @throws IllegalArgumentException if the device is not a CUDA one
   */
  public static long context(Device device) {
    return CudaProvider.gpu(device).context();
  }

  /** The {@code CUdevice}; see {@link #context}. */
  public static int device(Device device) {
    return CudaProvider.gpu(device).device();
  }

  /**
   * Makes a device's context current on this thread, as launching a kernel needs it. To be closed by the caller, before its coroutine suspends.
   *
   * @throws IllegalStateException on a virtual thread, which may go on on another OS thread, where another context is current
   */
  public static Scope enter(Device device) {
    if (Thread.currentThread().isVirtual()) throw new IllegalStateException("a virtual thread cannot hold on to a context: use a platform thread");
    return new Entered(CudaProvider.gpu(device));
  }
}
