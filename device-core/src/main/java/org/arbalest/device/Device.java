// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.UUID;
import org.arbalest.device.internal.device.DeviceImpl;
import org.arbalest.device.sharing.SharedArray;
import org.jspecify.annotations.Nullable;

/**
 * A place where buffers are: a kind of device and which one of it. Found through {@link Devices}; never closed, since C
 * may release arrays after everybody else has left.
 *
 * <p>A device that no backend serves is <em>opaque</em> (DEV-09): its arrays can be taken in, looked at, handed on and
 * released, but their buffers cannot be read and none can be allocated. If the device is there later, after its driver
 * was installed for example, then arrays that are taken in from then on are on it (DEV-18); those of before stay as
 * they were: on the opaque one, which {@linkplain #equals equals} it.
 */
public sealed interface Device permits DeviceImpl {
  /** The kind of device. */
  DeviceType type();

  /**
   * Which one of its kind; −1 for the CPU (DEV-02), and for pinned memory that a peer sent as no device's in particular
   * (DEV-16).
   */
  long id();

  /** Whether no backend serves this device, so that its arrays can only be handed on; does not change. */
  boolean isOpaque();

  /** Whether the CPU can read and write all buffers, once their events have completed. */
  boolean isCpuAccessible();

  /**
   * The device's own memory.
   *
   * @throws DeviceException with {@code ENOSYS} if the device is opaque
   */
  MemoryManager memory();

  /**
   * Memory that the CPU reads and writes and that the device copies from and to at its full speed: pinned, or shared by
   * both. Empty if the device has none. Its buffers may be on a device of their own, such as {@code CUDA_HOST:0}.
   */
  Optional<MemoryManager> hostMemory();

  /**
   * Memory that other processes can open: arrays in it can be shared ({@link SharedArray}). Empty if the device has
   * none. It is taken from the driver piece by piece, in units that nobody else has a part of (2 MiB on GPUs), which is
   * slow: for many arrays put a {@link MemoryPool} on it.
   */
  Optional<MemoryManager> shareableMemory();

  /**
   * Which piece of hardware this is: its UUID, where it is on the PCI bus, and the main memory next to it, as far as
   * the backend knows; nothing of it for an opaque device. See {@link Devices#device(DeviceType, UUID)}.
   */
  DeviceIdentity identity();

  /**
   * Pins native memory of the caller's where it is, so that this device copies from and to it as from
   * {@link #hostMemory}: as a buffer of that memory's device, such as {@code CUDA_HOST:0}, owned by the caller. Pinning
   * is slow; it is worth it for memory that is used often.
   *
   * <p>When nobody here uses the buffer any more, nor a slice of it or an array, the memory is unpinned, once, as soon
   * as no device has work, or by {@link MemoryManager#trim} of any memory. Until then it must stay: {@code onUnpinned}
   * says that it may go, so who frees it earlier, or closes its arena, frees what the device may yet read. The segment
   * is reachable as long, so that one of an automatic arena needs nothing more.
   *
   * @param memory native, not empty; what is pinned are its pages
   * @param onUnpinned run once, on any thread, when the memory was unpinned, or that failed for good, which the log
   *     says; not if this throws
   * @throws DeviceException with {@code ENOSYS} if the device pins no memory of others, {@code EINVAL} if the memory,
   *     or a page of it, is pinned already
   */
  DeviceBuffer pin(MemorySegment memory, Runnable onUnpinned);

  /**
   * Allocates a buffer of undefined content in {@link #memory}; see {@link MemoryManager#allocate(long)}. The caller
   * owns it.
   */
  DeviceBuffer allocate(long bytes);

  /**
   * Creates a queue of the device's work, to be closed by the caller.
   *
   * @throws DeviceException with {@code ENOSYS} if the device is opaque, or what its driver failed with
   */
  DeviceStream createStream();

  /**
   * The stream that is used where none is given. It is made when it is first asked for, and stays; closing it does
   * nothing.
   */
  DeviceStream defaultStream();

  /**
   * A queue that somebody else made, such as a {@code CUstream} or an in-order {@code cl_command_queue} of this
   * device's context. It stays theirs, and must live until the stream returned is closed; closing that does not destroy
   * it. If memory in its order was closed while it was captured, it must live until that is given back, up to a second
   * after the capture.
   *
   * @param handle the runtime's handle; 0 is CUDA's default stream, and HIP's; with CUDA 1 is the legacy and 2 the
   *     per-thread one
   */
  DeviceStream wrapStream(long handle);

  /**
   * An event that somebody else made, and gives away: it is destroyed when the handle returned, and all that waits for
   * it, is done with it.
   *
   * @param handle the runtime's handle, such as a {@code CUevent} or a {@code cl_event}
   * @throws DeviceException with {@code EINVAL} if this device cannot wait for it; it is still the caller's then
   */
  SyncEvent adoptEvent(long handle);

  /** Whether it is the same kind of device, under the same id. */
  @Override
  boolean equals(@Nullable Object other);

  @Override
  int hashCode();

  /** Such as {@code CPU} or {@code CUDA:0}. */
  @Override
  String toString();
}
