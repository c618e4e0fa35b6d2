// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.async;

import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceException;
import org.arbalest.device.internal.async.AsyncTaskImpl;
import org.arbalest.device.types.Metadata;

/**
 * A batch that was announced: its array is made, or handed over, by {@link #extract} on the thread that calls it.
 *
 * <p>Whoever has the task extracts it or closes it, once; closing a task that was extracted does nothing. May be used
 * from any thread, also after its stream has ended (ASY-16).
 */
public sealed interface AsyncTask extends AutoCloseable permits AsyncTaskImpl {
  /**
   * A task to be given to a producer here: an array, and what is to be said about it.
   *
   * @param array passes to the task, also if this throws (OWN-16)
   * @param metadata goes to the consumer's {@code on_next_task}
   */
  static AsyncTask of(DeviceArray array, Metadata metadata) {
    return AsyncTaskImpl.of(array, metadata);
  }

  /** What the producer says about this batch; may be empty (ASY-27). */
  Metadata metadata();

  /** Whether the task was neither extracted nor closed. */
  boolean isOpen();

  /**
   * The array, which passes to the caller; may take as long as the producer needs to make it. The task is consumed,
   * also on failure, unless memory ran out before the producer was asked.
   *
   * @throws DeviceException with the producer's errno if it could not make the array, {@code EINVAL} if the array is
   *     malformed or is not of the stream's type
   * @throws IllegalStateException if the task was extracted or closed
   */
  DeviceArray extract();

  /**
   * This task as a new handle, to be extracted or closed by the caller; this one is consumed.
   *
   * @throws IllegalStateException if the task was extracted or closed
   */
  AsyncTask move();

  /** Tells the producer that nobody wants the array. */
  @Override
  void close();
}
