// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.staging;

import java.util.concurrent.locks.LockSupport;
import org.arbalest.device.spi.DeviceDriver;

/**
 * Waits for what is in a queue. A virtual thread would hold its carrier in a call of the driver's that waits: it asks
 * now and then, and leaves it (DEV-22).
 */
final class QueueWait {
  private static final long SHORTEST_NANOS = 20_000;
  private static final long LONGEST_NANOS = 2_000_000;

  private QueueWait() {}

  /** Until all is done that is in the queue now; throws as {@link DeviceDriver#synchronizeQueue} does. */
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

  /** Until an event has completed; throws as {@link DeviceDriver#synchronizeEvent} does. */
  static void forEvent(DeviceDriver driver, long event) {
    if (!Thread.currentThread().isVirtual()) {
      driver.synchronizeEvent(event);
      return;
    }
    boolean interrupted = false;
    for (long pause = SHORTEST_NANOS; !driver.isReady(event); pause = Math.min(2 * pause, LONGEST_NANOS)) {
      LockSupport.parkNanos(pause);
      interrupted |= Thread.interrupted(); // the queue goes on nevertheless
    }
    if (interrupted) Thread.currentThread().interrupt();
  }
}
