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
 * A time in which no device has work that the library knows of: no stream of the library has work, and no wait for an
 * event is pending. Memory that is held for work in any stream counts as such a wait.
 *
 * <p>Calls that wait for a device, and hold up other calls meanwhile, are deferred until then (DEV-28). A daemon thread
 * checks for an idle period while deferred calls exist.
 */
final class IdlePeriod {
  /** Deferred work in steps. Each step runs in an idle period. */
  interface Steps {
    /**
     * Runs one step and returns whether it was the last. A step that throws {@code EAGAIN} is repeated in a later idle
     * period.
     */
    boolean next();
  }

  private static final long PATIENCE_MILLIS = 20;

  /** The deferred work, which is also its own lock. */
  private static final ArrayDeque<Steps> WAITING = new ArrayDeque<>();

  /** Held while one step runs. A step calls only a driver. */
  private static final ReentrantLock STEPPING = new ReentrantLock();

  private static volatile long steps;
  private static boolean started;

  private IdlePeriod() {}

  /** Defers steps to an idle period. Does not block. */
  static void await(Steps steps) {
    synchronized (WAITING) {
      if (!started) Thread.ofPlatform().name("arbalest-idle").daemon().start(IdlePeriod::work);
      started = true;
      WAITING.add(steps);
      WAITING.notifyAll();
    }
  }

  /** Returns how many steps have run. When this number changes, a step may have freed memory. */
  static long steps() {
    return steps;
  }

  /**
   * Runs the deferred steps now, on this thread, except those that must be repeated. May wait for devices, and
   * for a step that is in progress. Does not throw.
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

  /** The result of a step: it was the last, more steps follow, or it did nothing now. */
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
      Faults.report("releasing memory", e);
    } catch (Throwable t) {
      Faults.report("releasing memory", t);
    } finally {
      steps++;
      STEPPING.unlock();
    }
    return Done.LAST;
  }

  /** Returns whether it is an idle period now. Does not wait for any device. */
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
        Faults.report("releasing memory", t);
      }
    }
  }

  /**
   * Runs one step if it is an idle period. Everything here is under the lock, so that {@link #hurry} waits for a step
   * that was taken here.
   */
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
