// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import org.arbalest.device.Device;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.spi.ArrayBridge;
import org.arbalest.device.types.Field;

/**
 * Raw CUDA handles of this library's devices, hints for managed memory, and conversions on a GPU. The handles are
 * borrowed, and stay valid until the process ends.
 */
public final class Cuda {
  private Cuda() {}

  /** A CUDA context that is current on one thread, until the scope is closed on the same thread. */
  public interface Scope extends AutoCloseable {
    /**
     * Restores the context that was current before. Closing twice does nothing.
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
      gpu.enterOrdered(); // not relaxed: the capture mode belongs to the application
    }

    @Override
    public void close() {
      if (!Thread.currentThread().equals(thread))
        throw new IllegalStateException("the context was entered on " + thread + ", but is left on another thread");
      if (!closed) gpu.leave();
      closed = true;
    }
  }

  /**
   * Returns the {@code CUcontext} of a device: its GPU's primary context, which the CUDA runtime also uses.
   *
   * @throws IllegalArgumentException if the device is not a CUDA device, or is opaque
   */
  public static long context(Device device) {
    return CudaProvider.gpu(device).context();
  }

  /** Returns the {@code CUdevice} of a device; see {@link #context}. */
  public static int device(Device device) {
    return CudaProvider.gpu(device).device();
  }

  /**
   * Returns the {@code CUmemoryPool} that the process uses by default on a device: its current pool, which serves
   * {@code cuMemAllocAsync} and {@code cudaMallocAsync}.
   *
   * @throws DeviceException with {@code ENOSYS} if the device has no memory pools
   */
  public static long currentPool(Device device) {
    return CudaProvider.gpu(device).pool.current();
  }

  /**
   * Sets the pool of a GPU's next allocations: those of {@code device.memory()}, of each stream's {@code memory()} and
   * of copies to the GPU. Memory that is allocated already stays in its pool. Initially, the library has a pool of its
   * own. A pool that several libraries use keeps freed memory for all of them.
   *
   * <p>The caller owns the pool, and keeps it until another one is set and the allocations that began before have
   * returned. The library changes none of its settings: the caller grants other GPUs access to its memory, and trims
   * it. While it may insert dependencies between streams
   * ({@code CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES}, the default), allocations may wait for work of other
   * streams.
   *
   * @param pool a {@code CUmemoryPool} of this GPU's memory, such as RMM's {@code pool_handle()} or
   *     {@link #currentPool}; 0 is the library's own pool
   * @throws DeviceException with {@code ENOSYS} if the device has no memory pools, {@code EINVAL} if the pool's memory
   *     is not the GPU's own, with the driver's error if the pool serves no memory
   */
  public static void usePool(Device device, long pool) {
    CudaProvider.gpu(device).pool.choose(pool);
  }

  /**
   * Queues a move of a buffer's managed memory to the place of its next use: a GPU, or the CPU ({@code Devices.cpu()}).
   * Later work in the stream finds the memory there. Other work may use the memory in the meantime, and the memory then
   * moves back.
   *
   * <p>The library keeps the buffer until the move is done.
   *
   * @throws DeviceException with {@code ENOSYS} if the stream's GPU or the target GPU cannot use managed memory
   *     together with the CPU (concurrentManagedAccess), {@code EINVAL} if the memory is not managed
   */
  public static void prefetch(DeviceBuffer buffer, Device to, DeviceStream stream) {
    ManagedHints.prefetch(buffer, to, stream);
  }

  /**
   * Queues a move of an array's managed memory to the place of its next use, after the array's event. The move covers
   * the whole allocations that contain the array's buffers. See {@link #prefetch(DeviceBuffer, Device, DeviceStream)}.
   *
   * <p>The library keeps the array until the move is done.
   */
  public static void prefetch(DeviceArray array, Device to, DeviceStream stream) {
    ManagedHints.prefetch(array, to, stream);
  }

  /**
   * Declares how a buffer's managed memory will be used, from now on until it is freed. Advised memory is not reused
   * for later allocations (DEV-52).
   *
   * @param place the place whose use the advice describes: a GPU, or the CPU. It has no meaning for
   *     {@link MemoryAdvice#READ_MOSTLY}, and for a value that withdraws an advice, except
   *     {@link MemoryAdvice#NOT_ACCESSED_BY}
   * @throws DeviceException under the conditions of {@link #prefetch(DeviceBuffer, Device, DeviceStream) prefetch}
   */
  public static void advise(DeviceBuffer buffer, MemoryAdvice advice, Device place) {
    ManagedHints.advise(buffer, advice, place);
  }

  /**
   * Declares how an array's managed memory will be used. The advice covers the whole allocations that contain the
   * array's buffers. See {@link #advise(DeviceBuffer, MemoryAdvice, Device)}.
   */
  public static void advise(DeviceArray array, MemoryAdvice advice, Device place) {
    ManagedHints.advise(array, advice, place);
  }

  /**
   * Converts an array on a GPU as {@link DeviceArray#convertTo(Field)} does. The GPU converts booleans between
   * {@code bool}, which has bits, and {@code arrow.bool8}, which has bytes as cuDF's {@code BOOL8}. Conversions that
   * must read other values need memory that the CPU reads.
   *
   * <p>The stream waits for the array, and then converts. The result has an event behind this work. All other buffers
   * are shared, with the bitmaps and the numbers of nulls. Arrays with nulls that do not begin at a multiple of 8 keep
   * up to 7 elements in front, as an offset. The items of lists are converted with those of rows that are not visible.
   *
   * <p>The array stays open, and may be closed at once. The first conversion on a GPU loads the kernels until the
   * process ends, which may wait for the GPU's other work. They need a GPU of compute capability 5.0 or newer.
   *
   * <p>Where the CPU reads the memory, as of {@code CUDA_HOST} and {@code CUDA_MANAGED}, it converts, and this call
   * waits for the array. The stream is not used then.
   *
   * @param stream a stream of the array's GPU
   * @return the result; the caller closes it
   * @throws IllegalArgumentException if the array and the stream are not on the same GPU, or if no array of this type
   *     can be converted to the field; the message has the path and both types
   * @throws IllegalStateException if the array is closed, or if a stream that is used is closed or captured
   * @throws DeviceException with {@code ENOSYS} and the path if other values must be read on the GPU, with
   *     {@code ENOMEM} if there is not enough memory, with the driver's error if it cannot load or launch a kernel
   */
  public static <A extends DeviceArray> A convertTo(A array, Field requested, DeviceStream stream) {
    Gpu gpu = CudaProvider.gpu(array.device());
    if (CudaProvider.gpu(stream.device()) != gpu) {
      throw new IllegalArgumentException("a stream of " + stream.device() + " was given for an array on "
          + array.device() + "; use a stream of the array's GPU");
    }
    return ArrayBridge.convertTo(array, requested, stream, gpu.kernels::load);
  }

  /**
   * Makes a device's context current on this thread, as a kernel launch requires. The caller closes the scope, before
   * its coroutine suspends.
   *
   * @throws IllegalStateException on a virtual thread, which may continue on another OS thread, where another context
   *     is current
   */
  public static Scope enter(Device device) {
    if (Thread.currentThread().isVirtual())
      throw new IllegalStateException("a virtual thread cannot keep a context: use a platform thread");
    return new Entered(CudaProvider.gpu(device));
  }
}
