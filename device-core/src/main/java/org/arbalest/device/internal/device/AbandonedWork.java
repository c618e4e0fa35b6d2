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
 * Work of which a part is in queues, and no event of it: a call has failed half way, or could not record one. What the
 * work uses is held until the queues are past it (DEV-19), also where nobody can tell when that is (DEV-40).
 */
final class AbandonedWork extends Shared implements Runnable {
  private static final long LONGEST_PAUSE_MILLIS = 1000;

  private final DeviceQueue queue;
  private final long[] handles;
  private final Shared[] used;

  /** The first of the queues of which it is not known yet who tells. */
  private int next;

  private long pauseMillis = 1;

  private AbandonedWork(DeviceQueue queue, long[] handles, Shared... used) {
    this.queue = queue;
    this.handles = handles;
    this.used = used;
  }

  /**
   * Waits until queues are past what is in them. Where that cannot be told, it is held for longer, and asked for on a
   * thread of ours. Throws nothing.
   *
   * @param queue whose driver's queues they are
   * @param used what the caller holds
   */
  static void await(DeviceQueue queue, long[] handles, Shared... used) {
    AbandonedWork work = new AbandonedWork(queue, handles, used);
    while (work.next < handles.length) {
      if (!work.isPast()) {
        work.hold();
        return;
      }
    }
  }

  /**
   * Holds what its caller holds until the queue is past what is in it now; does not wait, and calls nothing on this
   * thread.
   */
  static void keep(DeviceQueue queue, Shared used) {
    new AbandonedWork(queue, new long[] {queue.handle}, used).hold();
  }

  /** Whether the next queue is past the work, after a wait. One that fails is. */
  private boolean isPast() {
    if (isCaptured()) return false;
    try {
      queue.driver.synchronizeQueue(handles[next]);
    } catch (Throwable t) {
      if (t instanceof DeviceException e && e.errno() == Errno.EAGAIN) return false;
      Faults.report("waiting for work on " + queue.device + " that is given up", t);
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
      Faults.report("asking for the end of work on " + queue.device + ", whose memory is kept for good,", t);
    }
  }

  /** On a thread of ours: by events, so that it does not wait itself. */
  @Override
  public void run() {
    while (next < handles.length) {
      if (!isLeftToEvent() && !isPast()) {
        askLater();
        return;
      }
    }
    release();
    Counts.WAITS.decrement();
  }

  /** Whether an event at the end of the next queue tells from now on. */
  private boolean isLeftToEvent() {
    if (isCaptured()) return false;
    RecordedEvent end;
    try {
      end = RecordedEvent.record(queue.device, queue.driver, handles[next]);
    } catch (Throwable _) {
      return false; // a wait may say more
    }
    next++;
    try {
      DeviceStreamImpl.keepUntil(end, this);
    } catch (Throwable t) { // after a wait; or somebody asks from now on
      Faults.report("being told of the end of work on " + queue.device + " that is given up", t);
    } finally {
      end.release();
    }
    return true;
  }

  /** Whether the next queue is just being captured, which asking for it would invalidate; that has an end. */
  private boolean isCaptured() {
    try {
      return handles[next] == queue.handle && queue.isCaptured();
    } catch (DeviceException _) { // the wait that follows says what it is
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
