// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import org.arbalest.device.internal.lifetime.Shared;
import org.arbalest.device.spi.SynchronousDriver;
import org.jspecify.annotations.Nullable;

/**
 * A queue in which somebody else uses memory, whom we cannot ask when that is over: memory is let go behind what is in
 * the queue then.
 */
public final class LastUse {
  private final DeviceQueue queue;

  private LastUse(DeviceQueue queue) {
    this.queue = queue;
  }

  /**
   * Holds a stream's queue until {@link #end}; null if the device does everything at once, so that there is nothing to
   * wait for.
   */
  public static @Nullable LastUse of(DeviceStreamImpl stream) {
    DeviceQueue queue = stream.hold();
    try {
      if (!(queue.driver instanceof SynchronousDriver)) {
        Worker.RELEASES.start();
        LastUse use = new LastUse(queue);
        queue.retain();
        return use;
      }
      return null;
    } finally {
      queue.release();
    }
  }

  /**
   * Gives the memory's holder, which the caller had, away when all that is in the queue now is done. On any thread;
   * throws nothing.
   */
  public void end(Shared memory) {
    try {
      queue.requireNoCapture();
      RecordedEvent end = RecordedEvent.record(queue.device, queue.driver, queue.handle);
      try {
        DeviceStreamImpl.keepUntil(end, memory);
      } finally {
        end.release();
      }
    } catch (Throwable _) {
      // such as within a host function, where the driver answers nothing, or a capture: on a thread of ours, or later,
      // it does
      AbandonedWork.keep(queue, memory);
    }
    memory.release();
    queue.release();
  }

  /** Lets go of the queue, in which nothing was used. */
  public void cancel() {
    queue.release();
  }
}
