// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.arbalest.device.internal.device.SyncEventImpl;
import org.jspecify.annotations.Nullable;

/**
 * A point in a {@link DeviceStream}: completes when all that was queued before it is done, or fails with it. A CUDA or
 * HIP event, a {@code cl_event}.
 *
 * <p>Recorded by {@link DeviceStream#record}, or an array's own ({@link DeviceArray#syncEvent}). A handle is closed by
 * whoever got it; closing twice does nothing, and neither waits nor stops the work. All methods are safe on any thread.
 *
 * <p>One that others recorded while a graph was captured never tells: to wait for it fails with {@code EINVAL}, and to
 * ask for it costs them the capture (DEV-60).
 */
public sealed interface SyncEvent extends AutoCloseable permits SyncEventImpl {
  /** The device in whose queue it is. */
  Device device();

  /** The runtime's handle, or 0 if there was nothing to wait for. Borrowed: it can be used while this is open. */
  long handle();

  /**
   * Whether the work is done; does not wait.
   *
   * @throws DeviceException with what the work failed with
   */
  boolean isReady();

  /**
   * Blocks until the work is done. A virtual thread gives up its carrier meanwhile. Not interruptible.
   *
   * @throws DeviceException with what the work failed with
   */
  void synchronize();

  /**
   * Blocks until the work is done, or for some time.
   *
   * @return false if the time was over first; the work goes on
   * @throws DeviceException with what the work failed with
   */
  boolean synchronize(Duration limit) throws InterruptedException;

  /**
   * Completes when the work is done, or with the {@link DeviceException} that it failed with; no thread waits. The
   * handle may be closed meanwhile. Dependents without an executor of their own run on a thread that all of them share,
   * and must not block it. Cancelling the future gives up the wait, not the work.
   */
  CompletionStage<@Nullable Void> onReady();

  /** Gives up this handle. */
  @Override
  void close();
}
