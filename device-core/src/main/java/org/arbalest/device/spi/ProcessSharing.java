// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.MemoryAllocator;

/**
 * How a driver shares memory and events with other processes: by handles, which are bytes that any transport carries.
 * There may be several forms of them, which the driver tells apart by the bytes ({@link SharedHandle}).
 *
 * <p>Like {@link DeviceDriver} it moves numbers and owns nothing: core counts who uses what, opens no handle twice at a
 * time, closes what it opened once, and keeps what it exported until the others are done with it. All methods may be
 * called from any thread.
 */
public interface ProcessSharing {
  /**
   * An allocation that another process can open.
   *
   * @param base where it begins, here
   * @param bytes how large it is
   * @param handle by which it is opened
   */
  @SuppressWarnings("ArrayRecordComponent")
  record Exported(long base, long bytes, byte[] handle) {}

  /**
   * Where memory comes from that can be shared. What was allocated from what this returned is given back to the same,
   * while no device has work.
   */
  MemoryAllocator memory();

  /**
   * The whole allocation in which an address is.
   *
   * @throws DeviceException with {@code EINVAL} if this memory cannot be shared: says what it is
   */
  Exported export(long address);

  /**
   * Opens another process's allocation. It is not open here.
   *
   * @param bytes how large it is said to be
   * @return where it begins, here
   * @throws DeviceException with {@code EINVAL} if the handle is none, the memory is gone, or has fewer bytes
   */
  long open(byte[] handle, long bytes);

  /**
   * Closes what was opened, of which no queued work uses anything any more. It may wait for the device: core calls it
   * while none has work.
   *
   * @param handle as given to {@link #open}, as are the bytes
   * @param base from {@link #open}
   * @throws DeviceException if it is still open; with {@code EAGAIN} if that may be otherwise later
   */
  void close(byte[] handle, long base, long bytes);

  /**
   * Creates an event at the end of a queue, as {@link DeviceDriver#record} does, for which another process can wait. It
   * is given back in the same way.
   *
   * @return 0 if there are no such events, or none that can be relied on
   */
  default long record(long queue) {
    return 0;
  }

  /** The handle by which another process opens an event of {@link #record}. */
  default byte[] exportEvent(long event) {
    throw new DeviceException(Errno.ENOSYS, "this device shares no events with other processes");
  }

  /** Opens another process's event, as an event of this device. */
  default long openEvent(byte[] handle) {
    throw new DeviceException(Errno.ENOSYS, "this device shares no events with other processes");
  }
}
