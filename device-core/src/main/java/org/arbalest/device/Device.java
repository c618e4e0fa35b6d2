// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import com.google.errorprone.annotations.CheckReturnValue;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.UUID;
import org.arbalest.device.internal.device.DeviceImpl;
import org.arbalest.device.sharing.SharedArray;
import org.jspecify.annotations.Nullable;

/**
 * A place where buffers are: one device of a kind, such as the CPU or a GPU. {@link Devices} finds devices. The
 * application never closes them, since native code may release arrays at any later time. Any thread may use a device.
 *
 * <p>A device that no backend serves is <em>opaque</em> (DEV-09). Its arrays can be imported, inspected, handed on and
 * released. Their buffers cannot be read, and no buffer can be allocated on it. The device may become available later,
 * for example after its driver is installed. Arrays that are imported from then on are on the available device
 * (DEV-18). Earlier arrays stay on the opaque device, which {@linkplain #equals equals} the available one.
 */
@CheckReturnValue
public sealed interface Device permits DeviceImpl {
  /** Returns the kind of device. */
  DeviceType type();

  /**
   * Returns the number within the kind. It is −1 for the CPU (DEV-02), and for pinned memory that a peer sent without
   * naming one device (DEV-16).
   */
  long id();

  /**
   * Returns whether no backend serves this device, so that its arrays can only be handed on. The result does not
   * change.
   */
  boolean isOpaque();

  /** Returns whether the CPU can read and write all buffers, once their events have completed. */
  boolean isCpuAccessible();

  /**
   * Returns the device's own memory.
   *
   * @throws DeviceException with {@code ENOSYS} if the device is opaque
   */
  MemoryManager memory();

  /**
   * Returns memory that the CPU reads and writes, and that the device copies from and to at its full speed: pinned
   * memory, or memory shared by both. Empty if the device has none. The buffers may be on a separate device, such as
   * {@code CUDA_HOST:0}.
   *
   * @throws DeviceException with {@code ENOSYS} if the device is opaque
   */
  Optional<MemoryManager> hostMemory();

  /**
   * Returns memory that other processes can open: arrays in it can be shared ({@link SharedArray}). Empty if the device
   * has none.
   *
   * <p>The driver supplies this memory in units, each for one allocation only (2 MiB on GPUs), which is slow. For many
   * arrays, create a {@link MemoryPool} on it.
   *
   * @throws DeviceException with {@code ENOSYS} if the device is opaque
   */
  Optional<MemoryManager> shareableMemory();

  /**
   * Returns the identity of the hardware: its UUID, its place on the PCI bus, and the main memory next to it, as far as
   * the backend knows them. {@link DeviceIdentity#UNKNOWN} for an opaque device. See
   * {@link Devices#device(DeviceType, UUID)}.
   */
  DeviceIdentity identity();

  /**
   * Pins native memory of the application in place, so that this device copies from and to it as from
   * {@link #hostMemory}. Pinning is slow; it is worthwhile for memory that is used often.
   *
   * <p>The caller owns the returned buffer. It is on the device of host memory, such as {@code CUDA_HOST:0}.
   *
   * <p>After the last use of the buffer, of its slices and of its arrays, the library unpins the memory once. It does
   * so as soon as no device has work, or in {@link MemoryManager#trim} of any memory except a pool. The application
   * must keep the memory allocated until {@code onUnpinned} runs; otherwise the device may read freed memory. Closing
   * the memory's arena frees it, too. The library keeps the segment reachable until then, so the segment of an
   * automatic arena needs nothing more.
   *
   * @param memory native memory, not empty and not read-only; its pages are pinned
   * @param onUnpinned run once, on any thread, after the memory was unpinned, or after unpinning failed for good, which
   *     is logged. Not run if this call throws
   * @throws IllegalArgumentException if the memory is not native, is empty, or is read-only, such as a file mapped for
   *     reading: the returned buffer can be written
   * @throws DeviceException with {@code ENOSYS} if the device cannot pin memory of an application, {@code EINVAL} if
   *     the memory, or a page of it, is already pinned
   */
  DeviceBuffer pin(MemorySegment memory, Runnable onUnpinned);

  /**
   * Allocates a buffer of undefined content in {@link #memory}; see {@link MemoryManager#allocate(long)}. The caller
   * owns it.
   *
   * @param bytes the size in bytes, not negative
   */
  DeviceBuffer allocate(long bytes);

  /**
   * Creates a queue of the device's work. The caller closes it.
   *
   * @throws DeviceException with {@code ENOSYS} if the device is opaque; with the error of its driver
   */
  DeviceStream createStream();

  /**
   * Returns the stream of calls that have no stream as a parameter. The first call creates it. It stays open: closing
   * it does nothing.
   */
  DeviceStream defaultStream();

  /**
   * Returns a stream for an existing queue, such as a {@code CUstream} or an in-order {@code cl_command_queue} of this
   * device's context. The caller closes the stream.
   *
   * <p>With CUDA, the context is the primary context of the GPU, which the CUDA runtime also uses. With OpenCL, it is
   * the context that {@code OpenCl.context(device)} of the OpenCL backend returns. On OpenCL this call rejects a queue
   * of another context, and one that runs its work out of order. On CUDA it rejects the handles 0 to 2 while another
   * context of the GPU is current, for example one of {@code cuCtxCreate}: they mean streams of that context. Elsewhere
   * it does not check the handle: with that of another device or context, later calls fail. With the handle of no
   * queue, calls may end the process.
   *
   * <p>The handle 2 of CUDA and HIP is another stream on each OS thread. Its wrapper is the stream of the calling
   * thread: on another thread each method except {@link DeviceStream#close} throws an {@link IllegalStateException}.
   * {@link DeviceStream#memory} is not available. Memory whose last use the library must wait for, such as a tensor's,
   * may be released on any thread (DEV-63).
   *
   * <p>The queue still belongs to its owner: closing the stream does not destroy it. The queue must live until the
   * stream is closed, and until all memory in its order ({@link DeviceStream#memory}, {@link MemoryManager#of}) is
   * freed. Memory that was closed while the queue was captured is freed up to one second after the capture.
   *
   * @param handle the runtime's handle. 0 is the default stream of CUDA and of HIP. With CUDA, 1 is the legacy default
   *     stream. With both, 2 is the calling thread's default stream
   * @throws IllegalStateException on a virtual thread, if the handle is a thread's default stream
   * @throws DeviceException with {@code ENOSYS} if the device is opaque; with {@code EINVAL} if the device cannot use
   *     the queue
   */
  DeviceStream wrapStream(long handle);

  /**
   * Takes over an existing event, and returns a handle to it. The library destroys the event after the handle is closed
   * and all waits for the event have ended.
   *
   * @param handle the runtime's handle, such as a {@code CUevent} or a {@code cl_event}
   * @throws IllegalArgumentException if the handle is 0
   * @throws DeviceException with {@code ENOSYS} if the device is opaque; with {@code EINVAL} if this device cannot wait
   *     for the event, which the caller still owns then
   */
  SyncEvent adoptEvent(long handle);

  /** Returns whether the other object is the same kind of device with the same id. */
  @Override
  boolean equals(@Nullable Object other);

  /** Returns a hash code of the kind and the id. */
  @Override
  int hashCode();

  /** Returns a name such as {@code CPU} or {@code CUDA:0}. */
  @Override
  String toString();
}
