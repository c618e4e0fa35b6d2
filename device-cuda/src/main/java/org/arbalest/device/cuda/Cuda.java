// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import org.arbalest.device.Device;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceStream;

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
      if (!Thread.currentThread().equals(thread))
        throw new IllegalStateException("the context was entered on " + thread + ", and is left on another");
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
   * Queues that a buffer's managed memory moves to where it will be used: a GPU, or the CPU ({@code Devices.cpu()}).
   * What comes after in the stream finds it there; anybody else may use it meanwhile, and it moves back. The buffer is
   * kept until then.
   *
   * @throws DeviceException with {@code ENOSYS} if a GPU of the two cannot use managed memory together with the CPU
   *     (concurrentManagedAccess), {@code EINVAL} if the memory is not managed
   */
  public static void prefetch(DeviceBuffer buffer, Device to, DeviceStream stream) {
    ManagedHints.prefetch(buffer, to, stream);
  }

  /** The same for the allocations that an array's buffers are in, behind its event. */
  public static void prefetch(DeviceArray array, Device to, DeviceStream stream) {
    ManagedHints.prefetch(array, to, stream);
  }

  /**
   * Says how a buffer's managed memory will be used, from now on and until it is freed: who gets memory later gets none
   * that was advised (DEV-52).
   *
   * @param place whose use it is: a GPU, or the CPU; without a meaning for {@link MemoryAdvice#READ_MOSTLY} and for
   *     what takes an advice back but {@link MemoryAdvice#NOT_ACCESSED_BY}
   * @throws DeviceException as {@link #prefetch(DeviceBuffer, Device, DeviceStream) prefetch}
   */
  public static void advise(DeviceBuffer buffer, MemoryAdvice advice, Device place) {
    ManagedHints.advise(buffer, advice, place);
  }

  /** The same for the allocations that an array's buffers are in. */
  public static void advise(DeviceArray array, MemoryAdvice advice, Device place) {
    ManagedHints.advise(array, advice, place);
  }

  /**
   * Makes a device's context current on this thread, as launching a kernel needs it. To be closed by the caller, before
   * its coroutine suspends.
   *
   * @throws IllegalStateException on a virtual thread, which may go on on another OS thread, where another context is
   *     current
   */
  public static Scope enter(Device device) {
    if (Thread.currentThread().isVirtual())
      throw new IllegalStateException("a virtual thread cannot hold on to a context: use a platform thread");
    return new Entered(CudaProvider.gpu(device));
  }
}
