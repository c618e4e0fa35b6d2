// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.staging;

import java.util.concurrent.locks.LockSupport;
import org.arbalest.device.spi.DeviceDriver;

/**
 * Waits for the work in a queue. A driver call that blocks would pin a virtual thread to its carrier thread. Therefore
 * a virtual thread polls with pauses, in which it leaves its carrier (DEV-22).
 */
final class QueueWait {
  private static final long SHORTEST_NANOS = 20_000;
  private static final long LONGEST_NANOS = 2_000_000;

  private QueueWait() {}

  /**
   * Blocks until all work that is in the queue now has completed. Throws as {@link DeviceDriver#synchronizeQueue} does.
   */
  static void forAll(DeviceDriver driver, long queue) {
    if (!Thread.currentThread().isVirtual()) {
      driver.synchronizeQueue(queue);
      return;
    }
    long end = driver.record(queue);
    if (end == 0) return;
    try {
      forEvent(driver, end);
    } finally {
      driver.destroyEvent(end);
    }
  }

  /** Blocks until an event has completed. Throws as {@link DeviceDriver#synchronizeEvent} does. */
  static void forEvent(DeviceDriver driver, long event) {
    if (!Thread.currentThread().isVirtual()) {
      driver.synchronizeEvent(event);
      return;
    }
    boolean interrupted = false;
    for (long pause = SHORTEST_NANOS; !driver.isReady(event); pause = Math.min(2 * pause, LONGEST_NANOS)) {
      LockSupport.parkNanos(pause);
      interrupted |= Thread.interrupted(); // the queue continues nevertheless
    }
    if (interrupted) Thread.currentThread().interrupt();
  }
}
