// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.internal.lifetime.Counts;
import org.arbalest.device.internal.lifetime.Shared;
import org.arbalest.device.internal.memory.Faults;

/**
 * Queued work that has no event of its own, because a call failed half way or could not record an event. The library
 * holds the memory of the work until the queues have completed it (DEV-19), even if the driver cannot report when that
 * is (DEV-40).
 */
final class AbandonedWork extends Shared implements Runnable {
  private static final long LONGEST_PAUSE_MILLIS = 1000;
  static final long[] NO_LANES = {};

  private final DeviceQueue queue;

  /** The handles of the library's own queues that the work uses as well. */
  private final long[] lanes;

  private final Shared[] used;

  /** The index of the first lane for which no event reports the end yet; −1 before that of the queue. */
  private int next = -1;

  private long pauseMillis = 1;

  private AbandonedWork(DeviceQueue queue, long[] lanes, Shared... used) {
    this.queue = queue;
    this.lanes = lanes;
    this.used = used;
  }

  /**
   * Blocks until the queues have completed the work that is in them. If the driver cannot answer, the library holds the
   * memory for longer and queries the queues on a worker thread. Throws nothing.
   *
   * @param queue the queue whose driver created the lanes
   * @param used the memory; the caller holds a reference to each part
   */
  static void await(DeviceQueue queue, long[] lanes, Shared... used) {
    AbandonedWork work = new AbandonedWork(queue, lanes, used);
    while (work.next < lanes.length) {
      if (!work.isPast()) {
        work.hold();
        return;
      }
    }
  }

  /**
   * Adds a reference to the caller's memory until the queue has completed the work that is in it now. Does not block
   * and calls no driver function on this thread.
   */
  static void keep(DeviceQueue queue, Shared used) {
    new AbandonedWork(queue, NO_LANES, used).hold();
  }

  /** Blocks, then returns whether the next queue has completed the work. A queue that fails has completed it. */
  private boolean isPast() {
    if (isCaptured()) return false;
    try {
      if (next < 0) queue.synchronize();
      else queue.driver.synchronizeQueue(lanes[next]);
    } catch (Throwable t) {
      if (t instanceof DeviceException e && e.errno() == Errno.EAGAIN) return false;
      Faults.report("waiting for abandoned work on " + queue.device, t);
    }
    next++;
    return true;
  }

  private void hold() {
    queue.retain();
    for (Shared shared : used) shared.retain();
    Counts.WAITS.increment();
    try {
      Worker.RELEASES.start();
      Worker.RELEASES.submit(this);
    } catch (Throwable t) {
      Faults.report("querying the end of work on " + queue.device + ", whose memory is never freed,", t);
    }
  }

  /** Runs on a worker thread. It uses events, so that the thread itself does not block. */
  @Override
  public void run() {
    while (next < lanes.length) {
      if (!isLeftToEvent() && !isPast()) {
        askLater();
        return;
      }
    }
    release();
    Counts.WAITS.decrement();
  }

  /** Returns whether an event at the end of the next queue will report the completion. */
  private boolean isLeftToEvent() {
    if (isCaptured()) return false;
    RecordedEvent end;
    try {
      end = next < 0 ? queue.recordEnd() : RecordedEvent.record(queue.device, queue.driver, lanes[next]);
    } catch (Throwable _) {
      return false; // a blocking wait may give an answer
    }
    next++;
    try {
      DeviceStreamImpl.keepUntil(end, this);
    } catch (Throwable t) { // the call has blocked until the end, or the library now queries repeatedly
      Faults.report("requesting a notification of the end of abandoned work on " + queue.device, t);
    } finally {
      end.release();
    }
    return true;
  }

  /**
   * Returns whether the next queue is being captured now. A query for its completion would invalidate the capture. The
   * capture ends later.
   */
  private boolean isCaptured() {
    try {
      return next < 0 && queue.isCaptured();
    } catch (DeviceException _) { // the wait that follows reports the failure
      return false;
    }
  }

  private void askLater() {
    CompletableFuture.delayedExecutor(pauseMillis, TimeUnit.MILLISECONDS, Worker.RELEASES::submit).execute(this);
    pauseMillis = Math.min(2 * pauseMillis, LONGEST_PAUSE_MILLIS);
  }

  @Override
  protected void free() {
    for (Shared shared : used) shared.release();
    queue.release();
  }
}
