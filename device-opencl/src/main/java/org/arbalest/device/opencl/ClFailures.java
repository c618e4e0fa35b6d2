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
 * Tells of events that failed, for PoCL, which calls no callback for them: looks now and then, while somebody waits.
 * Those that succeed are told of by their callbacks, at once.
 */
final class ClFailures {
  private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private static final ConcurrentLinkedQueue<Watched> ADDED = new ConcurrentLinkedQueue<>();

  /**
   * Whether the thread sleeps until it is woken; it is not for each wait, as that would take a processor from those who
   * do the work.
   */
  private static final AtomicBoolean ASLEEP = new AtomicBoolean();

  private static @Nullable Thread looking;

  /** An event, a reference to which is held until it is over. */
  private record Watched(OpenClDriver driver, long event, Completion completion) {}

  private ClFailures() {}

  /** Tells if the event fails; takes over a reference to it, unless it throws. */
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
        ClErrors.report("looking for events that failed", t);
      }
    }
  }

  /** Returns when there is something to look at. Whoever adds sees that this sleeps, or this sees what was added. */
  private static void awaitAdded() {
    ASLEEP.set(true);
    while (ADDED.isEmpty() && ASLEEP.get()) LockSupport.park();
    ASLEEP.set(false);
  }

  /** Of one that cannot be asked it is told: who waits asks by himself. */
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
      ClErrors.report("giving an event back", e);
    }
    return true;
  }
}
