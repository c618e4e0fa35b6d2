// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import java.util.Objects;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.device.DeviceStreamImpl;

/**
 * An ordered queue of a device's work: a CUDA or HIP stream, an in-order OpenCL command queue. What is queued is done in order, later;
 * queueing does not wait. On a device that does everything at once, such as the CPU, it is done when the call returns.
 *
 * <p>Made by {@link Device#createStream}, and closed by whoever made it; what is in it then is still done. Closing twice does nothing. All
 * methods are safe on any thread; the order of what several threads queue is theirs to settle.
 */
public sealed interface DeviceStream extends AutoCloseable permits DeviceStreamImpl {
  /** The device that does the work. */
  Device device();

  /** The runtime's handle, such as a {@code CUstream} or a {@code cl_command_queue}. Borrowed: it can be used while this is open. */
  long handle();

  /** An event that completes when all that is in the stream now is done; to be closed by the caller. */
  SyncEvent record();

  /** Lets what is queued from now on wait for an event: on the device if it can; else this call waits. */
  void waitFor(SyncEvent event);

  /** Lets what is queued from now on wait until an array's buffers can be read; see {@link #waitFor(SyncEvent)}. */
  default void waitFor(DeviceArray array) {
    Objects.requireNonNull(array, "array");
    DeviceArrayImpl.unwrap(array).letWait(DeviceStreamImpl.unwrap(this));
  }

  /**
   * Queues a copy of a whole buffer to the start of another. Both are kept alive until it is done, also when they are closed meanwhile.
   *
   * @throws IllegalArgumentException if {@code to} is smaller, or a buffer is on a device that this one does not reach
   */
  void copy(DeviceBuffer from, DeviceBuffer to);

  /**
   * Keeps an array's memory until all that is in the stream now is done: to be called after a kernel that uses it was queued, so that the
   * array can be closed at once.
   */
  default void keepAlive(DeviceArray array) {
    Objects.requireNonNull(array, "array");
    DeviceArrayImpl.unwrap(array).keepAlive(DeviceStreamImpl.unwrap(this));
  }

  /** Keeps a buffer's memory until all that is in the stream now is done; see {@link #keepAlive(DeviceArray)}. */
  void keepAlive(DeviceBuffer buffer);

  /**
   * Blocks until all that is in the stream is done.
   *
   * @throws DeviceException with what any of it failed with
   */
  void synchronize();

  /** Gives the stream back without waiting. A device's default stream stays. */
  @Override
  void close();
}
