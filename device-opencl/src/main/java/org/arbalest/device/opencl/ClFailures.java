// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.arbalest.device.spi.Completion;
import org.jspecify.annotations.Nullable;

/**
 * Tells of events that failed, for PoCL, which calls no callback for them: looks now and then, while somebody waits. Those that succeed are told
 * of by their callbacks, at once.
 */
final class ClFailures {
  private static final long INTERVAL_MILLIS = 20;

  private static @Nullable LinkedBlockingQueue<Watched> added;

  /** An event that is retained until it is over. */
  private record Watched(OpenClDriver driver, long event, Completion completion) {}

  private ClFailures() {}

  /** Tells if the event fails. */
  static void watch(OpenClDriver driver, long event, Completion completion) {
    LinkedBlockingQueue<Watched> queue = queue();
    driver.check(Cl.retainEvent(event), "clRetainEvent");
    queue.add(new Watched(driver, event, completion));
  }

  private static synchronized LinkedBlockingQueue<Watched> queue() {
    LinkedBlockingQueue<Watched> queue = added;
    if (queue == null) {
      LinkedBlockingQueue<Watched> created = new LinkedBlockingQueue<>();
      Thread.ofPlatform().name("arbalest-opencl-failures").daemon().start(() -> work(created));
      added = queue = created;
    }
    return queue;
  }

  private static void work(LinkedBlockingQueue<Watched> queue) {
    List<Watched> pending = new ArrayList<>();
    long next = System.nanoTime();
    while (true) {
      try {
        Watched event = pending.isEmpty() ? queue.take() : queue.poll(Math.max(0, next - System.nanoTime()), TimeUnit.NANOSECONDS);
        if (event != null) pending.add(event);
        queue.drainTo(pending);
        if (System.nanoTime() - next < 0) continue;
        for (Iterator<Watched> all = pending.iterator(); all.hasNext();) {
          if (isOver(all.next())) all.remove();
        }
        next = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(INTERVAL_MILLIS);
      } catch (Throwable t) {
        ClErrors.report("looking for events that failed", t);
      }
    }
  }

  /** One that cannot be asked is looked at no more. */
  private static boolean isOver(Watched watched) {
    try {
      if (watched.driver.status(watched.event) > Cl.COMPLETE) return false;
      watched.completion.complete();
      watched.driver.destroyEvent(watched.event);
    } catch (RuntimeException e) {
      ClErrors.report("asking for an event", e);
    }
    return true;
  }
}
