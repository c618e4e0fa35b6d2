// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import org.arbalest.device.internal.lifetime.Shared;
import org.arbalest.device.spi.SynchronousDriver;
import org.jspecify.annotations.Nullable;

/**
 * The end of a use of memory in a queue by an application or a consumer, which the library cannot query. The library
 * releases the memory after the work that is in the queue when the use ends.
 */
public final class LastUse {
  private final DeviceQueue queue;

  private LastUse(DeviceQueue queue) {
    this.queue = queue;
  }

  /**
   * Holds a stream's queue until {@link #end} or {@link #cancel}. Returns null if the device works synchronously,
   * because then nothing has to be waited for.
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
   * Takes over the caller's reference to the memory. Releases it after all work that is in the queue now has completed.
   *
   * <p>May be called on any thread. Throws nothing.
   */
  public void end(Shared memory) {
    try {
      queue.requireNoCapture();
      RecordedEvent end = queue.recordEnd();
      try {
        DeviceStreamImpl.keepUntil(end, memory);
      } finally {
        end.release();
      }
    } catch (Throwable _) {
      // For example inside a host function, where the driver cannot answer, or during a capture. It can answer on the
      // library's own thread, or later.
      AbandonedWork.keep(queue, memory);
    }
    memory.release();
    queue.release();
  }

  /** Releases the queue. The caller has used nothing in it. */
  public void cancel() {
    queue.release();
  }
}
