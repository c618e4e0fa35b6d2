// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.sharing;

import com.google.errorprone.annotations.CheckReturnValue;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceException;
import org.arbalest.device.internal.sharing.SharedArrayImpl;

/**
 * A handle to an array that other processes of this machine can open without a copy. All of them use the same memory of
 * a GPU.
 *
 * <p>One process shares an array, and sends the {@link #message} over a transport of its choice; the other process
 * opens it. {@link ArrayLink} does both over a socket, and detects the end of the other process.
 *
 * <p>Memory that {@link Device#shareableMemory} allocates can be shared. So can memory that the application allocates
 * in a way that the runtime shares: {@code cuMemAlloc}, or {@code cuMemCreate} for fabric handles. The device's own
 * memory comes from a pool, and cannot be shared. The other process can access the whole allocation, not only the
 * array.
 *
 * <p><b>Ownership.</b> The sharing process keeps this handle open until the other process has closed the array and has
 * confirmed that. To free memory that another process has open is undefined behaviour of the GPU's runtime. Closing
 * twice does nothing.
 *
 * <p><b>Threads.</b> All methods may be called from any thread.
 */
@CheckReturnValue
public sealed interface SharedArray extends AutoCloseable permits SharedArrayImpl {
  /**
   * Shares an array. The caller still owns the array's handle, and may close it at once.
   *
   * <p>An array that is not ready is shared with its event, and the other process's queues wait for it on the device.
   * Where the runtime has no such event, this method blocks until the array is ready. A process that is killed never
   * completes its events. If that matters, wait for the array before this call, as {@link ArrayLink} does.
   *
   * @return the shared array; the caller closes it when no other process has it open or will open it
   * @throws DeviceException with {@code EINVAL} if the memory cannot be shared: the message has the reason, and the
   *     memory to which to copy the array; with {@code ENOSYS} if the device cannot share memory
   * @throws IllegalStateException if the handle was consumed
   */
  static SharedArray of(DeviceArray array) {
    return SharedArrayImpl.of(array);
  }

  /** Opens an array that another process shares; see {@link #open(byte[], Runnable)}. The caller closes the array. */
  static DeviceArray open(byte[] message) {
    return open(message, () -> {});
  }

  /**
   * Opens an array that another process shares. Both processes use the same GPU; its number may differ between them.
   *
   * <p>The caller closes the array like any other. Its memory belongs to the other process. This process closes its
   * access to the memory after the last reference is released. The other process must then be notified, so that it may
   * free the memory.
   *
   * @param message the bytes of {@link #message} from the other process; they are checked, and may be any bytes
   * @param closed runs once, on any thread, when this process has no part of the array open any more. It also runs if
   *     this method throws, before or after the exception
   * @return the array, which the caller closes
   * @throws DeviceException with {@code EINVAL} if the message is malformed, of another version or of this process, or
   *     if the memory is gone; with {@code ENOSYS} if this process has no access to the GPU; with the driver's code if
   *     the driver fails
   */
  static DeviceArray open(byte[] message, Runnable closed) {
    return SharedArrayImpl.open(message, closed);
  }

  /** Returns the device of the array. */
  Device device();

  /**
   * Returns the message with which another process opens the array: its layout and handles, but not its content. It has
   * a few hundred bytes, and about forty more for each buffer.
   */
  byte[] message();

  /** Returns whether this handle is open, and keeps the array. */
  boolean isOpen();

  /** Releases the array. No other process may have it open. */
  @Override
  void close();
}
