// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import java.time.Duration;
import java.util.Objects;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.device.DeviceStreamImpl;

/**
 * An ordered queue of a device's work: a CUDA or HIP stream, an in-order OpenCL command queue. What is queued is done
 * in order, later; queueing does not wait. On a device that does everything at once, such as the CPU, it is done when
 * the call returns.
 *
 * <p>Made by {@link Device#createStream}, and closed by whoever made it; what is in it then is still done. Closing
 * twice does nothing. All methods are safe on any thread; the order of what several threads queue is theirs to settle.
 *
 * <p>While somebody captures it into a graph of the runtime's, whatever would queue something throws an
 * {@link IllegalStateException} (DEV-60).
 */
public sealed interface DeviceStream extends AutoCloseable permits DeviceStreamImpl {
  /** The device that does the work. */
  Device device();

  /**
   * The runtime's handle, such as a {@code CUstream} or a {@code cl_command_queue}. Borrowed: it can be used while this
   * is open.
   */
  long handle();

  /**
   * The device's memory, whose allocations and frees take their turn in this stream, so that neither waits for anything
   * (DEV-31). Where a device has none such, its {@link Device#memory}, which is everybody's at once.
   *
   * <p>A buffer may be used by what is queued in this stream after it was allocated, and by other streams that wait for
   * an event of this one which is recorded after that; our own copies do so by themselves. Closing it frees it behind
   * what is in this stream then: work of other streams must be over, be waited for by this stream, or have
   * {@link #keepAlive(DeviceBuffer) kept the buffer}. When the stream is closed, the buffers are good until they are
   * closed, too; one that was {@linkplain Device#wrapStream wrapped} must live as long.
   */
  MemoryManager memory();

  /** An event that completes when all that is in the stream now is done; to be closed by the caller. */
  SyncEvent record();

  /**
   * Lets what is queued from now on wait for an event: on the device if it can; else this call waits.
   *
   * @throws DeviceException with {@code EINVAL} if the event was recorded in a graph's capture: the stream would become
   *     part of the graph (DEV-60)
   */
  void waitFor(SyncEvent event);

  /** Lets what is queued from now on wait until an array's buffers can be read; see {@link #waitFor(SyncEvent)}. */
  default void waitFor(DeviceArray array) {
    Objects.requireNonNull(array, "array");
    DeviceArrayImpl.unwrap(array).letWait(DeviceStreamImpl.unwrap(this));
  }

  /**
   * Queues a copy of a whole buffer to the start of another. Both are kept alive until it is done, also when they are
   * closed meanwhile. Main memory that is not pinned may be read before this returns, if only work of this library's is
   * in the stream; otherwise when the stream comes to it (DEV-50). Either way it is not to be written to until the copy
   * is done.
   *
   * @throws IllegalArgumentException if {@code to} is smaller, or a buffer is on a device that this one does not reach
   */
  void copy(DeviceBuffer from, DeviceBuffer to);

  /**
   * Keeps an array's memory until all that is in the stream now is done: to be called after a kernel that uses it was
   * queued, so that the array can be closed at once.
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

  /**
   * Blocks until all that is in the stream now is done, or for some time.
   *
   * @param limit how long to wait; negative is as zero
   * @return false if the time was over first; the work goes on
   * @throws DeviceException with what any of it failed with
   */
  boolean synchronize(Duration limit) throws InterruptedException;

  /** Gives the stream back without waiting. A device's default stream stays. */
  @Override
  void close();
}
