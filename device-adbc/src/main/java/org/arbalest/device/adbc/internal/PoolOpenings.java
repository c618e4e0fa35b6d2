// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The connections that a pool opens.
 *
 * <p>Background threads open them, so that neither an interrupt nor a time limit waits for a driver. While the server
 * is away, one of them repeats its attempt, with pauses, as long as a thread waits. The lock of the places guards this.
 */
final class PoolOpenings<C extends PooledConnection> {
  /** The time after which an attempt no longer blocks others. */
  private static final long LATE = TimeUnit.SECONDS.toNanos(1);

  /** The first and the longest time until the minimum of idle connections is opened again after a failure. */
  private static final long FIRST_MINIMUM_PAUSE = TimeUnit.SECONDS.toNanos(1);
  static final long LONGEST_MINIMUM_PAUSE = TimeUnit.SECONDS.toNanos(30);

  private static final System.Logger LOGGER = System.getLogger("org.arbalest.device.adbc");

  private final PoolConnections<C> pool;
  private final PoolConnections.Source<C> source;
  private final PoolPlaces<C> places;
  private final PoolCounters counters;

  /** The number of connections that are being opened, including one whose attempt is repeated after a pause. */
  private int running;

  /** The number of attempts that no longer block others, see {@link Attempt#isLate}. */
  private int late;

  /** The attempt that is repeated while the server is away, or its pause: no other begins. Null otherwise. */
  private @Nullable Attempt repeated;

  /** The number of failed attempts since the server answered, while threads wait. */
  private int failures;

  /** The last failure since the server answered; null without one. */
  private @Nullable Throwable lastFailure;

  /** Whether the last attempt to connect failed and no thread waits: the upkeep opens idle connections again. */
  private boolean isMinimumPaused;

  /** The end of that pause, and the number of pauses since the server answered. */
  private long minimumResumes;
  private int minimumPauses;

  /** The number of connections that were opened, by which their lifetimes differ. */
  private long opened;

  /** An attempt to connect. */
  private static final class Attempt {
    /** Whether the attempt has not ended in time. Others may begin beside it. */
    boolean isLate;

    boolean hasEnded;
  }

  PoolOpenings(PoolConnections<C> pool, PoolConnections.Source<C> source, PoolPlaces<C> places,
      PoolCounters counters) {
    this.pool = pool;
    this.source = source;
    this.places = places;
    this.counters = counters;
  }

  int running() {
    return running;
  }

  /** Returns the last failure since the server answered; null without one. */
  @Nullable
  Throwable lastFailure() {
    return lastFailure;
  }

  /** Opens the minimum of idle connections; after a failure, not before a pause has ended. */
  void resumeMinimum() {
    if (pool.time().nanoTime() - minimumResumes >= 0) isMinimumPaused = false;
    openMissing();
  }

  /** Returns the number of connections that threads, and the minimum of idle ones, wait for. */
  private int missing() {
    int idle = isMinimumPaused ? 0 : pool.options().minimumIdle() - places.idle.size();
    return places.waiters.size() + Math.max(0, idle);
  }

  /** Opens the missing connections within the bounds. A failure is that of a waiting thread. Requires the lock. */
  void openMissing() {
    while (!places.isClosed && repeated == null && places.total < pool.options().maximumPoolSize()
        && running < source.most() && running - late < missing()) {
      places.total++;
      running++;
      start(new Attempt());
    }
  }

  /** Opens a connection in the background. Requires the lock. */
  private void start(Attempt attempt) {
    try {
      pool.time().after(LATE, () -> passLate(attempt));
      pool.time().start(() -> open(attempt));
    } catch (Throwable t) { // for example, the process cannot start another thread
      end(attempt);
      places.total--;
      if (places.waiters.isEmpty()) pauseMinimum(t);
      else giveUp(t);
    }
  }

  private void end(Attempt attempt) {
    leave(attempt);
    running--;
  }

  /** Lets other attempts begin after one that has ended. */
  private void leave(Attempt attempt) {
    if (repeated == attempt) repeated = null;
    if (attempt.isLate) late--;
    attempt.hasEnded = true;
  }

  private void open(Attempt attempt) {
    C made;
    try {
      made = source.open();
    } catch (Throwable t) {
      failed(t, attempt);
      return;
    }
    counters.created.increment();
    places.lock.lock();
    try {
      end(attempt);
      repeated = null;
      failures = 0;
      lastFailure = null;
      isMinimumPaused = false;
      minimumPauses = 0;
      if (places.hand(new PoolSlot<>(made, pool.time().nanoTime(), pool.limits().lifetime(opened++)))) {
        openMissing();
        return;
      }
    } finally {
      places.unlock();
    }
    pool.discard(made, "was opened while the pool was closed");
  }

  private void failed(Throwable failure, Attempt attempt) {
    places.lock.lock();
    try {
      counters.connectFailures.increment();
      lastFailure = failure;
      leave(attempt);
      if (!places.waiters.isEmpty() && ConnectFailure.mayPass(failure) && isRepeated(failure)) return;
      running--;
      places.total--;
      if (places.waiters.isEmpty()) pauseMinimum(failure);
      else if (!ConnectFailure.mayPass(failure)) giveUp(failure);
      openMissing();
    } finally {
      places.unlock();
    }
  }

  private void pauseMinimum(Throwable failure) {
    failures = 0;
    if (isMinimumPaused || places.isClosed || pool.options().minimumIdle() == 0) return;
    isMinimumPaused = true;
    long pause = FIRST_MINIMUM_PAUSE << Math.min(minimumPauses++, 10);
    minimumResumes = pool.time().nanoTime() + Math.min(pause, LONGEST_MINIMUM_PAUSE);
    if (minimumPauses == 1) places.afterUnlock(() -> LOGGER.log(Level.WARNING,
        "opening an idle connection of the " + pool + " failed; it is repeated later", failure));
  }

  /** Repeats an attempt after a pause; returns false if another one is repeated. */
  private boolean isRepeated(Throwable failure) {
    for (PoolWaiter<C> waiter : places.waiters) waiter.attemptFailed(failure);
    if (repeated != null || places.isClosed) return false;
    var next = new Attempt();
    failures++;
    try {
      pool.time().after(ConnectFailure.pauseNanos(failures), () -> openAgain(next));
    } catch (Throwable t) { // for example, the process cannot start the thread that keeps the time
      giveUp(t);
      return false;
    }
    repeated = next;
    return true;
  }

  private void openAgain(Attempt attempt) {
    places.lock.lock();
    try {
      if (!places.isClosed && !places.waiters.isEmpty()) {
        start(attempt);
      } else {
        end(attempt);
        places.total--;
        if (lastFailure != null) pauseMinimum(lastFailure);
      }
      openMissing();
    } finally {
      places.unlock();
    }
  }

  /** Lets other attempts begin beside one that has not ended, since the server may be back. */
  private void passLate(Attempt attempt) {
    places.lock.lock();
    try {
      if (attempt.hasEnded) return;
      if (repeated == attempt) repeated = null;
      attempt.isLate = true;
      late++;
      openMissing();
    } finally {
      places.unlock();
    }
  }

  /** Ends the wait of the first thread by a failure that another attempt does not mend. */
  private void giveUp(Throwable failure) {
    failures = 0;
    places.waiters.remove().fail(failure);
  }
}
