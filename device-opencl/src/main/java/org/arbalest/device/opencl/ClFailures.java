// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.arbalest.device.spi.Completion;
import org.jspecify.annotations.Nullable;

/**
 * The notification of failed events, for PoCL, which calls no callback for them. A thread queries the events
 * periodically, while a completion waits. Callbacks report successful events, at once.
 */
final class ClFailures {
  private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private static final ConcurrentLinkedQueue<Watched> ADDED = new ConcurrentLinkedQueue<>();

  /**
   * Whether the thread sleeps until it is woken. It is not woken for each wait: that would take a processor from the
   * threads that do the work.
   */
  private static final AtomicBoolean ASLEEP = new AtomicBoolean();

  private static @Nullable Thread looking;

  /** An event. The thread has a reference to it until the event is done or has failed. */
  private record Watched(OpenClDriver driver, long event, Completion completion) {}

  private ClFailures() {}

  /** Calls the completion if the event fails. The method takes over a reference to the event, unless it throws. */
  static void watch(OpenClDriver driver, long event, Completion completion) {
    Thread thread = thread();
    ADDED.add(new Watched(driver, event, completion));
    if (ASLEEP.compareAndSet(true, false)) LockSupport.unpark(thread);
  }

  private static synchronized Thread thread() {
    Thread thread = looking;
    if (thread == null)
      looking = thread = Thread.ofPlatform().name("arbalest-opencl-failures").daemon().start(ClFailures::work);
    return thread;
  }

  private static void work() {
    List<Watched> pending = new ArrayList<>();
    while (true) {
      try {
        if (pending.isEmpty()) awaitAdded();
        long next = System.nanoTime() + INTERVAL_NANOS;
        for (long left = INTERVAL_NANOS; left > 0; left = next - System.nanoTime()) LockSupport.parkNanos(left);
        for (Watched added = ADDED.poll(); added != null; added = ADDED.poll()) pending.add(added);
        for (Iterator<Watched> all = pending.iterator(); all.hasNext();) {
          if (isOver(all.next())) all.remove();
        }
      } catch (Throwable t) {
        ClErrors.report("searching for failed events", t);
      }
    }
  }

  /**
   * Returns after an event was added. Either the adding thread sees that this thread sleeps, or this thread sees the
   * added event.
   */
  private static void awaitAdded() {
    ASLEEP.set(true);
    while (ADDED.isEmpty() && ASLEEP.get()) LockSupport.park();
    ASLEEP.set(false);
  }

  /**
   * Returns whether an event is done or has failed. If the query fails, the completion is called, too: the waiting
   * thread then queries the event itself.
   */
  private static boolean isOver(Watched watched) {
    try {
      if (watched.driver.status(watched.event) > Cl.COMPLETE) return false;
    } catch (RuntimeException e) {
      ClErrors.report("asking for an event", e);
    }
    watched.completion.complete();
    try {
      watched.driver.destroyEvent(watched.event);
    } catch (RuntimeException e) {
      ClErrors.report("releasing an event", e);
    }
    return true;
  }
}
