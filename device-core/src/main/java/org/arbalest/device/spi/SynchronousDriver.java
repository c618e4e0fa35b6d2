// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;

/**
 * A driver for a device that completes all work before a call returns. It has one queue, 0, and all its events have
 * completed.
 */
public interface SynchronousDriver extends DeviceDriver {
  @Override
  default long createQueue() {
    return 0;
  }

  @Override
  default void destroyQueue(long queue) {}

  @Override
  default void synchronizeQueue(long queue) {}

  @Override
  default long record(long queue) {
    return 0;
  }

  @Override
  default void destroyEvent(long event) {}

  @Override
  default void waitFor(long queue, long event) {
    synchronizeEvent(event);
  }

  @Override
  default boolean isReady(long event) {
    return true;
  }

  @Override
  default void synchronizeEvent(long event) {}

  /** Rejects every imported event, because this device has no events. */
  @Override
  default void checkEvent(long event) {
    throw new DeviceException(Errno.EINVAL, "it has a sync_event, but the device has no events");
  }

  @Override
  default void onComplete(long event, Completion completion) {
    completion.complete();
  }
}
