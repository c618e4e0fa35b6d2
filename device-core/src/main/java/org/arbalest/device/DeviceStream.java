// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import com.google.errorprone.annotations.CheckReturnValue;
import java.time.Duration;
import java.util.Objects;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.device.DeviceStreamImpl;

/**
 * An ordered queue of a device's work: a CUDA or HIP stream, or an in-order OpenCL command queue.
 * {@link Device#createStream} creates it, and the caller closes it. Any thread may call all methods; the application
 * decides on the order of the work that several threads queue.
 *
 * <p>Queueing does not wait: queued work runs later, in order. On a device that does everything immediately, such as
 * the CPU, the work is done when the call returns. Work that is in the stream when it is closed still completes.
 * Closing twice does nothing.
 *
 * <p>While other code captures the queue into a graph of the runtime, each call that would queue work throws an
 * {@link IllegalStateException} (DEV-60).
 */
@CheckReturnValue
public sealed interface DeviceStream extends AutoCloseable permits DeviceStreamImpl {
  /** Returns the device that does the work. */
  Device device();

  /**
   * Returns the runtime's handle, such as a {@code CUstream} or a {@code cl_command_queue}. Borrowed: it is valid while
   * this stream is open.
   */
  long handle();

  /**
   * Returns the device's memory with allocations and frees in the order of this stream, so that neither waits (DEV-31).
   * A device without such memory returns its {@link Device#memory}, whose buffers all streams may use immediately.
   *
   * <p>Work that is queued in this stream after the allocation may use the buffer. Other streams may use it after they
   * wait for an event that this stream records after the allocation; the library's own copies wait by themselves.
   *
   * <p>Closing a buffer frees it after the work that is in this stream at that moment. Work of other streams must be
   * complete by then. Otherwise this stream must wait for it, or the other stream must
   * {@link #keepAlive(DeviceBuffer) keep the buffer alive}.
   *
   * <p>Buffers stay valid until they are closed, also if the stream is closed earlier. A
   * {@linkplain Device#wrapStream wrapped} queue must live until they are freed.
   *
   * @throws DeviceException with {@code ENOSYS} for the default stream of one thread
   */
  MemoryManager memory();

  /** Records an event that completes when all work now in the stream is done. The caller closes the event. */
  SyncEvent record();

  /**
   * Makes work that is queued from now on wait for an event. The device waits if it can; otherwise this call blocks.
   *
   * @throws DeviceException with {@code EINVAL} if the event was recorded in a graph's capture: the stream would become
   *     part of the graph (DEV-60)
   */
  void waitFor(SyncEvent event);

  /**
   * Makes work that is queued from now on wait until an array's buffers can be read; see {@link #waitFor(SyncEvent)}.
   */
  default void waitFor(DeviceArray array) {
    Objects.requireNonNull(array, "array");
    DeviceArrayImpl.unwrap(array).letWait(DeviceStreamImpl.unwrap(this));
  }

  /**
   * Queues a copy of a whole buffer to the start of another. The library keeps both alive until the copy is done, also
   * if they are closed meanwhile.
   *
   * <p>Do not write to main memory that is copied until the copy is done. Main memory that is not pinned may be read
   * before this call returns, if the stream has only work of this library. Otherwise it is read when the stream reaches
   * the copy (DEV-50).
   *
   * @throws IllegalArgumentException if {@code to} is smaller, or if a buffer is on a device that this one does not
   *     reach
   */
  void copy(DeviceBuffer from, DeviceBuffer to);

  /**
   * Keeps an array's memory alive until all work now in the stream is done. Call it after queueing a kernel that uses
   * the array; then the array can be closed immediately.
   */
  default void keepAlive(DeviceArray array) {
    Objects.requireNonNull(array, "array");
    DeviceArrayImpl.unwrap(array).keepAlive(DeviceStreamImpl.unwrap(this));
  }

  /** Keeps a buffer's memory alive until all work now in the stream is done; see {@link #keepAlive(DeviceArray)}. */
  void keepAlive(DeviceBuffer buffer);

  /**
   * Blocks until all work in the stream is done.
   *
   * @throws DeviceException with the error of work that failed
   */
  void synchronize();

  /**
   * Blocks until all work now in the stream is done, or until a time limit expires.
   *
   * @param limit how long to wait; a negative limit counts as zero
   * @return false if the limit expired first; the work continues
   * @throws DeviceException with the error of work that failed
   */
  boolean synchronize(Duration limit) throws InterruptedException;

  /** Releases the stream, without waiting. A device's default stream stays open. */
  @Override
  void close();
}
