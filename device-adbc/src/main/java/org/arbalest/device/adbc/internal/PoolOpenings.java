// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.lang.System.Logger.Level;

/**
 * The connections that a pool opens.
 *
 * <p>Background threads open them, so that neither an interrupt nor a time limit waits for a driver. While the server
 * is away, one of them repeats its attempt, with pauses, as long as a thread waits. The lock of the places guards this.
 */
final class PoolOpenings<C extends PooledConnection> {
  private static final System.Logger LOGGER = System.getLogger("org.arbalest.device.adbc");

  private final PoolConnections<C> pool;
  private final PoolConnections.Source<C> source;
  private final PoolPlaces<C> places;
  private final PoolCounters counters;

  /** The number of connections that are being opened, including one whose attempt is repeated after a pause. */
  private int running;

  /** Whether the server is away: one opening repeats its attempt, and no other begins. */
  private boolean isAway;

  /** The number of failed attempts since the server answered. */
  private int failures;

  /** Whether the last attempt to connect failed and no thread waits: the upkeep opens idle connections again. */
  private boolean isMinimumPaused;

  /** The number of connections that were opened, by which their lifetimes differ. */
  private long opened;

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

  /** Opens the minimum of idle connections, also after a failure. */
  void resumeMinimum() {
    isMinimumPaused = false;
    openMissing();
  }

  /** Returns the number of connections that threads, and the minimum of idle ones, wait for. */
  private int missing() {
    int idle = isMinimumPaused ? 0 : pool.options().minimumIdle() - places.idle.size();
    return places.waiters.size() + Math.max(0, idle);
  }

  /** Opens the missing connections within the bounds. Requires the lock. */
  void openMissing() {
    while (!places.isClosed && !isAway && places.total < pool.options().maximumPoolSize() && running < source.most()
        && running < missing()) {
      places.total++;
      running++;
      startOpening(false);
    }
  }

  /**
   * Opens a connection in the background. Requires the lock.
   *
   * @param isRepeated whether this attempt repeats a failed one
   */
  private void startOpening(boolean isRepeated) {
    try {
      pool.time().start(() -> open(isRepeated));
    } catch (Throwable t) { // for example, the process cannot start another thread
      endOpening(isRepeated);
      throw t;
    }
  }

  private void endOpening(boolean isRepeated) {
    if (isRepeated) isAway = false;
    running--;
    places.total--;
  }

  private void open(boolean isRepeated) {
    C made;
    try {
      made = source.open();
    } catch (Throwable t) {
      failed(t, isRepeated);
      return;
    }
    counters.created.increment();
    places.lock.lock();
    try {
      running--;
      isAway = false;
      failures = 0;
      if (!places.isClosed) {
        isMinimumPaused = false;
        places.hand(new PoolSlot<>(made, pool.time().nanoTime(), pool.limits().lifetime(opened++)));
        openMissing();
        return;
      }
      places.total--;
    } finally {
      places.lock.unlock();
    }
    pool.discard(made, "was opened while the pool was closed");
  }

  private void failed(Throwable failure, boolean isRepeated) {
    places.lock.lock();
    try {
      counters.connectFailures.increment();
      if (isRepeated) isAway = false;
      if (places.waiters.isEmpty()) pauseMinimum(failure);
      else if (ConnectFailure.mayPass(failure)) repeat(failure);
      else giveUp(failure);
    } finally {
      places.lock.unlock();
    }
  }

  private void pauseMinimum(Throwable failure) {
    endOpening(false);
    failures = 0;
    if (isMinimumPaused || places.isClosed || pool.options().minimumIdle() == 0) return;
    isMinimumPaused = true;
    LOGGER.log(Level.WARNING, "opening an idle connection of the " + pool + " failed; it is repeated later", failure);
  }

  private void repeat(Throwable failure) {
    for (PoolWaiter<C> waiter : places.waiters) waiter.attemptFailed(failure);
    if (isAway || places.isClosed) { // another opening repeats its attempt
      endOpening(false);
      return;
    }
    isAway = true;
    failures++;
    pool.time().after(ConnectFailure.pauseNanos(failures), this::openAgain);
  }

  private void openAgain() {
    places.lock.lock();
    try {
      if (!places.isClosed && !places.waiters.isEmpty()) {
        startOpening(true);
        return;
      }
      failures = 0;
      isMinimumPaused = true;
      endOpening(true);
    } finally {
      places.lock.unlock();
    }
  }

  /** Ends an opening by a failure that another attempt does not mend. The first waiting thread throws it. */
  private void giveUp(Throwable failure) {
    endOpening(false);
    failures = 0;
    places.waiters.remove().fail(failure);
    openMissing();
  }
}
