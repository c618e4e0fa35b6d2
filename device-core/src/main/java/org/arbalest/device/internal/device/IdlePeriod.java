// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.internal.lifetime.Counts;
import org.arbalest.device.internal.memory.Faults;
import org.jspecify.annotations.Nullable;

/**
 * A time in which no device has work that we know of: nothing is in a stream of ours, and nobody waits for an event, as
 * memory does that is kept for work in any stream. Calls that wait for a device, and hold up others meanwhile, are put
 * off until then (DEV-28). A daemon thread looks, while there are some.
 */
final class IdlePeriod {
  /** Something that is done in steps, each of them in an idle period. */
  interface Steps {
    /** Does one: whether it was the last. What throws {@code EAGAIN} is done again in a later idle period. */
    boolean next();
  }

  private static final long PATIENCE_MILLIS = 20;

  /** What waits, and its own lock. */
  private static final ArrayDeque<Steps> WAITING = new ArrayDeque<>();

  /** Held while one step is done, which calls a driver, and nobody else. */
  private static final ReentrantLock STEPPING = new ReentrantLock();

  private static volatile long steps;
  private static boolean started;

  private IdlePeriod() {}

  /** Does not block. */
  static void await(Steps steps) {
    synchronized (WAITING) {
      if (!started) Thread.ofPlatform().name("arbalest-idle").daemon().start(IdlePeriod::work);
      started = true;
      WAITING.add(steps);
      WAITING.notifyAll();
    }
  }

  /** How many steps were done; what changes it may have freed something. */
  static long steps() {
    return steps;
  }

  /**
   * Does at once, on this thread, what waits, but for what has to be done again; which may wait for devices, and for a
   * step that is under way. Does not throw.
   */
  static void hurry() {
    List<Steps> again = new ArrayList<>();
    STEPPING.lock();
    try {
      for (Steps next = poll(); next != null; next = poll()) {
        Done done;
        do done = step(next);
        while (done == Done.ONE);
        if (done == Done.NONE) again.add(next);
      }
    } finally {
      STEPPING.unlock();
    }
    again.forEach(IdlePeriod::await);
  }

  /** What a step has done: the last, one that others follow, or nothing now. */
  private enum Done {
    LAST,
    ONE,
    NONE
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // under the lock
  private static Done step(Steps next) {
    STEPPING.lock();
    try {
      return next.next() ? Done.LAST : Done.ONE;
    } catch (DeviceException e) {
      if (e.errno() == Errno.EAGAIN) return Done.NONE;
      Faults.report("giving memory back", e);
    } catch (Throwable t) {
      Faults.report("giving memory back", t);
    } finally {
      steps++;
      STEPPING.unlock();
    }
    return Done.LAST;
  }

  /** Whether it is one; does not wait for any device. */
  static boolean isNow() {
    return Counts.WAITS.sum() == 0 && DeviceQueue.areAllIdle();
  }

  private static @Nullable Steps poll() {
    synchronized (WAITING) {
      return WAITING.poll();
    }
  }

  private static void work() {
    while (true) {
      try {
        awaitOne();
        Done done = isNow() || IdleTask.isPressing() ? stepWhenIdle() : Done.NONE;
        if (done == Done.NONE) TimeUnit.MILLISECONDS.sleep(PATIENCE_MILLIS);
      } catch (Throwable t) {
        Faults.report("giving memory back", t);
      }
    }
  }

  /** Does a step, if there is an idle period. All under the lock: who hurries waits for what was taken here. */
  private static Done stepWhenIdle() {
    STEPPING.lock();
    try {
      if (!isNow() && !IdleTask.isPressing()) return Done.NONE;
      Steps next = poll();
      if (next == null) return Done.LAST;
      Done done = step(next);
      if (done != Done.LAST) await(next);
      return done;
    } finally {
      STEPPING.unlock();
    }
  }

  private static void awaitOne() throws InterruptedException {
    synchronized (WAITING) {
      while (WAITING.isEmpty()) WAITING.wait();
    }
  }
}
