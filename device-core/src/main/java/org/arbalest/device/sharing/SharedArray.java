// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.sharing;

import org.arbalest.device.Device;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceException;
import org.arbalest.device.internal.sharing.SharedArrayImpl;

/**
 * An array that another process of this machine may have as well, without a copy: both use the same memory of a GPU.
 *
 * <p>One process shares an array and sends the {@link #message} over a transport of its choice; the other one opens it.
 * The first must keep this handle open until the other has released what it opened, and has said so: memory that is
 * freed while somebody has it open is undefined behaviour of the GPU's runtime. {@link ArrayLink} does all that over a
 * socket, and knows when the other process is killed.
 *
 * <p>Only memory of {@link Device#shareableMemory} can be shared, and what others allocated in a way that the runtime
 * shares ({@code cuMemAlloc}, or {@code cuMemCreate} for fabric handles); the device's own memory comes from a pool,
 * which is not. The whole allocation is open to the other process, not only the array.
 *
 * <p>Closing twice does nothing. All methods are safe on any thread.
 */
public sealed interface SharedArray extends AutoCloseable permits SharedArrayImpl {
  /**
   * Shares an array. The handle stays the caller's and may be closed at once. An array that is not ready goes with its
   * event, for which the other process's queues wait on the device; where the runtime has no such event, this waits. A
   * process that is killed never completes its events: where that matters, wait for the array before, as
   * {@link ArrayLink} does.
   *
   * @return to be closed by the caller when no other process has it open any more, or will open it
   * @throws DeviceException with {@code EINVAL} if the memory cannot be shared: says why, and where to copy it to;
   *     {@code ENOSYS} if none of the device's can be
   * @throws IllegalStateException if the handle was consumed
   */
  static SharedArray of(DeviceArray array) {
    return SharedArrayImpl.of(array);
  }

  /** Opens what another process shares; see {@link #open(byte[], Runnable)}. */
  static DeviceArray open(byte[] message) {
    return open(message, () -> {});
  }

  /**
   * Opens what another process shares, on the same GPU, whatever its number is here. The array is closed like any
   * other: its memory is the other process's, and what is open of it here is closed when the last who holds it has
   * left. Which is then to be told.
   *
   * @param message of {@link #message}, in another process; it is checked, and may be anything
   * @param closed run once, when nothing of it is open here any more, so that the other process may free it; on any
   *     thread. Also if this throws, before or after
   * @return the array, to be closed by the caller
   * @throws DeviceException with {@code EINVAL} if the message is malformed, of another version, or of this process, or
   *     the memory is gone; {@code ENOSYS} if this process does not see the GPU; or what the driver failed with
   */
  static DeviceArray open(byte[] message, Runnable closed) {
    return SharedArrayImpl.open(message, closed);
  }

  /** Where it is. */
  Device device();

  /**
   * What another process opens it by: how it is laid out, and handles; not its content. Some hundred bytes, and some
   * forty for each buffer.
   */
  byte[] message();

  /** Whether it is kept. */
  boolean isOpen();

  /** Gives up the array, which no other process has open. */
  @Override
  void close();
}
