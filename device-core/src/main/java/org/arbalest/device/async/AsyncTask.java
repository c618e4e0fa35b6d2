// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.async;

import com.google.errorprone.annotations.CheckReturnValue;
import org.arbalest.device.DeviceException;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.internal.async.AsyncTaskImpl;
import org.arbalest.device.types.Metadata;

/**
 * An announced batch. {@link #extract} returns its array: the producer makes it or passes it on, on the thread of that
 * call.
 *
 * <p><b>Ownership.</b> The owner of the task extracts it or closes it, once. Closing an extracted task does nothing.
 *
 * <p><b>Threads.</b> A task may be used from any thread, also after its stream has ended (ASY-16).
 */
@CheckReturnValue
public sealed interface AsyncTask extends AutoCloseable permits AsyncTaskImpl {
  /**
   * Creates a task for an {@link AsyncProducer} from an array and its metadata. The method takes the array over, also
   * if it throws (OWN-16).
   *
   * @param array the array
   * @param metadata the metadata that the consumer's {@code on_next_task} receives
   */
  static AsyncTask of(RecordBatch array, Metadata metadata) {
    return AsyncTaskImpl.of(array, metadata);
  }

  /** Returns the producer's metadata of this batch; may be empty (ASY-27). */
  Metadata metadata();

  /** Returns whether the task was neither extracted nor closed. */
  boolean isOpen();

  /**
   * Returns the array. The call may take as long as the producer needs to make it.
   *
   * <p><b>Ownership.</b> The caller owns the array. The task is consumed, also if the call fails, except when memory
   * runs out before the call to the producer.
   *
   * @throws DeviceException with the producer's errno if the producer cannot make the array; with {@code EINVAL} if the
   *     array is malformed or does not have the stream's type
   * @throws IllegalStateException if the task was extracted or closed
   */
  RecordBatch extract();

  /**
   * Returns a new handle to this task and consumes this handle. The caller must extract or close the new one.
   *
   * @throws IllegalStateException if the task was extracted or closed
   */
  AsyncTask move();

  /** Closes the task: notifies the producer that the array is not needed. */
  @Override
  void close();
}
