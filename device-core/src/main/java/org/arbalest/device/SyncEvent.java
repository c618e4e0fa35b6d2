// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.arbalest.device.internal.device.SyncEventImpl;
import org.jspecify.annotations.Nullable;

/**
 * A point in a {@link DeviceStream}: a CUDA or HIP event, or a {@code cl_event}. It completes when all work queued
 * before it is done, or fails with the error of that work. The caller that gets a handle closes it. Any thread may call
 * all methods.
 *
 * <p>{@link DeviceStream#record} records an event, and {@link DeviceArray#syncEvent} returns that of an array. Closing
 * neither waits nor stops the work. Closing twice does nothing.
 *
 * <p>An event that other code recorded while a graph was captured never reports completion. Waiting for it fails with
 * {@code EINVAL}, and querying it invalidates the capture (DEV-60).
 */
public sealed interface SyncEvent extends AutoCloseable permits SyncEventImpl {
  /** Returns the device whose queue contains the event. */
  Device device();

  /**
   * Returns the runtime's handle, or 0 if there was nothing to wait for. Borrowed: it is valid while this handle is
   * open.
   */
  long handle();

  /**
   * Returns whether the work is done, without waiting.
   *
   * @throws DeviceException with the error of the work
   */
  boolean isReady();

  /**
   * Blocks until the work is done. A virtual thread frees its carrier meanwhile. An interrupt does not end the wait.
   *
   * @throws DeviceException with the error of the work
   */
  void synchronize();

  /**
   * Blocks until the work is done, or until a time limit expires.
   *
   * @param limit how long to wait; a negative limit counts as zero
   * @return false if the limit expired first; the work continues
   * @throws DeviceException with the error of the work
   */
  boolean synchronize(Duration limit) throws InterruptedException;

  /**
   * Returns a stage that completes when the work is done, or with the {@link DeviceException} of the work. No thread
   * waits. The handle may be closed meanwhile.
   *
   * <p>Dependents without an executor of their own run on one thread for all events, and must not block it. Cancelling
   * the future ends the wait, not the work.
   */
  CompletionStage<@Nullable Void> onReady();

  /** Closes this handle. */
  @Override
  void close();
}
