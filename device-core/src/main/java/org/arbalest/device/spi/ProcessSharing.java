// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.MemoryAllocator;

/**
 * The way in which a driver shares memory and events with other processes: by handles, which are bytes that any
 * transport carries. A driver may have several forms of handles, and distinguishes them by their bytes
 * ({@link SharedHandle}).
 *
 * <p>Like {@link DeviceDriver} it translates calls and owns nothing. Core counts references and opens no handle a
 * second time while it is open. Core closes each opened handle once. Core keeps exported memory until the other
 * processes have released it.
 *
 * <p>Core may call all methods from any thread.
 */
public interface ProcessSharing {
  /**
   * An allocation that another process can open.
   *
   * @param base its start address in this process
   * @param bytes its size in bytes
   * @param form the form of its handle; the driver numbers its forms
   * @param source a further value of the driver, such as the handle of the memory's pool; 0 for none
   */
  record Shareable(long base, long bytes, int form, long source) {}

  /**
   * Returns the allocator of memory that can be shared. Core frees such memory through the same allocator, while no
   * device has work.
   */
  MemoryAllocator memory();

  /**
   * Describes the whole allocation that contains an address, and exports nothing. Core calls this for all buffers of an
   * array before it exports the first one. An array with memory that cannot be shared is thus rejected as a whole.
   *
   * @throws DeviceException with {@code EINVAL} if this memory cannot be shared: the message has the kind of the memory
   */
  Shareable prepare(long address);

  /**
   * Exports an allocation, and returns the handle for the other process.
   *
   * @throws DeviceException with {@code EINVAL} if the runtime does not share this memory: the message has the reason
   */
  byte[] export(Shareable memory);

  /**
   * Opens an allocation of another process. It is not open in this process yet.
   *
   * @param handle the handle that the other process exported
   * @param bytes the size in bytes that the other process reports
   * @return the start address in this process
   * @throws DeviceException with {@code EINVAL} if the handle is malformed, the memory is gone, or the memory is
   *     smaller
   */
  long open(byte[] handle, long bytes);

  /**
   * Closes an opened allocation that no queued work uses any more. The call may wait for the device: core calls it
   * while the device has no work.
   *
   * @param handle the handle passed to {@link #open}
   * @param base the address that {@link #open} returned
   * @param bytes the size passed to {@link #open}
   * @throws DeviceException if the allocation is still open; with {@code EAGAIN} if a later call may succeed
   */
  void close(byte[] handle, long base, long bytes);

  /**
   * Creates an event at the end of a queue, as {@link DeviceDriver#record} does, for which another process can wait.
   * Core releases it with {@link DeviceDriver#destroyEvent}.
   *
   * @return 0 if the device has no such events, or none that are reliable
   */
  default long record(long queue) {
    return 0;
  }

  /** Returns the handle with which another process opens an event of {@link #record}. */
  default byte[] exportEvent(long event) {
    throw new DeviceException(Errno.ENOSYS, "this device shares no events with other processes");
  }

  /** Opens an event of another process as an event of this device. */
  default long openEvent(byte[] handle) {
    throw new DeviceException(Errno.ENOSYS, "this device shares no events with other processes");
  }
}
