// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.lang.System.Logger.Level;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import org.arbalest.device.adbc.AdbcPool;
import org.arbalest.device.adbc.AdbcPoolOptions;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a pool, and the threads that wait for one.
 *
 * <p>A thread that waits receives the first connection that another thread returns, or that {@link PoolOpenings} opens.
 *
 * <p>The upkeep, at intervals, closes idle connections that have reached a time limit, opens those of the minimum, and
 * reports long uses.
 */
public final class PoolConnections<C extends PooledConnection> {
  private static final String EXPIRED = "reached its maximum lifetime";
  private static final String INVALID = "failed its check";

  private static final System.Logger LOGGER = System.getLogger("org.arbalest.device.adbc");

  private final Source<C> source;
  private final AdbcPoolOptions options;
  private final PoolLimits limits;
  private final PoolTime time;
  private final PoolCounters counters = new PoolCounters();
  private final PoolPlaces<C> places = new PoolPlaces<>();
  private final PoolOpenings<C> openings;

  /** The connections in use; empty if the pool does not report long uses. Guarded by the lock of the places. */
  private final Set<PoolSlot<C>> leased = new HashSet<>();

  /** The origin of connections. */
  public interface Source<C> {
    /** Returns the maximum number of calls of {@link #open} at the same time. */
    int most();

    /** Opens a connection. Background threads call it. */
    C open();

    /** Releases what opens connections. A failure is thrown. */
    void close();
  }

  /** Creates a pool without connections. */
  public PoolConnections(Source<C> source, AdbcPoolOptions options, PoolTime time) {
    this.source = source;
    this.options = options;
    this.limits = PoolLimits.of(options);
    this.time = time;
    this.openings = new PoolOpenings<>(this, source, places, counters);
  }

  AdbcPoolOptions options() {
    return options;
  }

  PoolLimits limits() {
    return limits;
  }

  PoolTime time() {
    return time;
  }

  /** Opens the connections of the minimum, and begins the upkeep. */
  public void start() {
    places.lock.lock();
    try {
      openings.openMissing();
    } finally {
      places.unlock();
    }
    long interval = limits.interval();
    if (interval != PoolLimits.NONE || options.minimumIdle() > 0)
      keepUp(new WeakReference<>(this), time, Math.min(interval, PoolOpenings.LONGEST_MINIMUM_PAUSE));
  }

  /** Calls the upkeep at intervals, until the pool is closed or, without a close, collected. */
  private static void keepUp(WeakReference<? extends PoolConnections<?>> pool, PoolTime time, long interval) {
    time.after(interval, () -> {
      PoolConnections<?> kept = pool.get();
      if (kept == null) {
        time.close();
        return;
      }
      try {
        kept.upkeep();
      } finally {
        keepUp(pool, time, interval);
      }
    });
  }

  private void upkeep() {
    List<PoolSlot<C>> expired = new ArrayList<>();
    List<PoolSlot<C>> unused = new ArrayList<>();
    List<Exception> leaks = new ArrayList<>();
    places.lock.lock();
    try {
      if (places.isClosed) return;
      long now = time.nanoTime();
      for (var slots = places.idle.descendingIterator(); slots.hasNext();) {
        PoolSlot<C> slot = slots.next();
        boolean isExpired = slot.isExpired(now);
        if (!isExpired && (now - slot.usedAt < limits.idle() || places.idle.size() <= options.minimumIdle())) continue;
        slots.remove();
        (isExpired ? expired : unused).add(slot);
      }
      for (PoolSlot<C> slot : leased) {
        if (slot.leasedBy == null || now - slot.leasedAt < limits.use()) continue;
        leaks.add(slot.leasedBy);
        slot.leasedBy = null;
      }
      openings.resumeMinimum();
    } finally {
      places.unlock();
    }
    counters.expired.add(expired.size());
    counters.idleTimeouts.add(unused.size());
    counters.leaks.add(leaks.size());
    for (PoolSlot<C> slot : expired) discardLater(slot.connection, EXPIRED);
    for (PoolSlot<C> slot : unused) discardLater(slot.connection, "reached the idle limit");
    for (Exception leak : leaks) LOGGER.log(Level.WARNING, "a connection of the " + this + " is in use for more than "
        + options.leakDetectionThreshold().toMillis() + " ms; close the lease that was acquired here", leak);
  }

  /** Returns a connection, which the caller passes to {@link #release}; see {@link AdbcPool#acquire}. */
  public PoolSlot<C> acquire() throws InterruptedException, TimeoutException {
    if (Thread.interrupted()) throw new InterruptedException("interrupted before a connection was acquired");
    long start = time.nanoTime();
    PoolSlot<C> slot = take(start, false);
    while (!isUsable(slot, start)) slot = take(start, true);
    if (!limits.hasUse()) return slot;
    try {
      watch(slot);
      return slot;
    } catch (Throwable t) { // for example, no memory for the stack
      release(slot);
      throw t;
    }
  }

  private void watch(PoolSlot<C> slot) {
    var here = new Exception("the stack of the thread " + Thread.currentThread().getName());
    places.lock.lock();
    try {
      slot.leasedAt = time.nanoTime();
      slot.leasedBy = here;
      leased.add(slot);
    } finally {
      places.unlock();
    }
  }

  /** Throws if the pool is closed. */
  public void checkOpen() {
    places.lock.lock();
    try {
      places.checkOpen();
    } finally {
      places.unlock();
    }
  }

  /**
   * Returns an idle connection, or waits for one.
   *
   * @param start the time at which the thread began to acquire
   * @param isNext whether the connection that the thread received before is closed instead of used
   */
  private PoolSlot<C> take(long start, boolean isNext) throws InterruptedException, TimeoutException {
    places.lock.lock();
    try {
      places.checkOpen();
      long limit = limits.atLeastOneSecond();
      if (isNext && left(limit, start) <= 0) {
        counters.timeouts.increment();
        throw PoolWaiter.lateChecks(limit);
      }
      PoolSlot<C> slot = places.idle.poll();
      if (slot == null) return await(start, isNext);
      if (places.idle.size() < options.minimumIdle()) openings.openMissing();
      return slot;
    } finally {
      places.unlock();
    }
  }

  /** Returns the time that is left of a limit. */
  private long left(long limit, long start) {
    return limit - (time.nanoTime() - start);
  }

  private PoolSlot<C> await(long start, boolean isNext) throws InterruptedException, TimeoutException {
    var waiter = new PoolWaiter<C>(places.lock.newCondition());
    if (isNext) places.waiters.addFirst(waiter);
    else places.waiters.addLast(waiter);
    PoolCounters.Wait wait = counters.startWait(time);
    PoolSlot<C> given = null;
    try {
      openings.openMissing();
      boolean isOpenedForIt = isNext || places.waiters.size() <= openings.running();
      while (waiter.received() == null) {
        waiter.throwFailure();
        places.checkOpen();
        long limit = isOpenedForIt && !waiter.hasFailedAttempt() ? limits.atLeastOneSecond() : limits.acquire();
        long left = left(limit, start);
        if (left <= 0) {
          counters.timeouts.increment();
          throw waiter.timeout(limit, options.maximumPoolSize(), openings.running() > 0, openings.lastFailure());
        }
        waiter.await(time, left);
      }
      given = waiter.received();
      return given;
    } finally {
      places.waiters.remove(waiter);
      PoolSlot<C> unused = given == null ? waiter.received() : null;
      // the thread was interrupted meanwhile, or the pool closed
      if (unused != null && !places.hand(unused))
        places.afterUnlock(() -> discardLater(unused.connection, "was released while the pool was closed"));
      wait.end(this, given != null);
    }
  }

  private boolean isUsable(PoolSlot<C> slot, long start) throws InterruptedException {
    if (slot.isNew) {
      slot.isNew = false;
      return true;
    }
    if (slot.isExpired(time.nanoTime())) {
      counters.expired.increment();
      discardLater(slot.connection, EXPIRED);
      return false;
    }
    if (!slot.isDoubtful && time.nanoTime() - slot.usedAt < limits.alive()) {
      counters.bypassedChecks.increment();
      return true;
    }
    IdleCheck.Result result;
    try {
      long limit = Math.min(limits.check(), left(limits.atLeastOneSecond(), start));
      result = IdleCheck.of(slot.connection, limit, time, this::discardLate);
    } catch (Throwable t) { // the check closes the connection
      forget();
      throw t;
    }
    if (result == IdleCheck.Result.VALID) return true;
    counters.validationFailures.increment();
    if (result == IdleCheck.Result.LATE) forget();
    else discardLater(slot.connection, INVALID);
    return false;
  }

  /** Closes a connection whose check has ended late, and whose place is free since then. */
  private void discardLate(C connection) {
    logged(closed(connection, null, () -> {}), INVALID);
  }

  /** Closes a connection that is not in use, and frees its place. A failure is logged. */
  void discard(C connection, String why) {
    logged(closed(connection, null, this::forget), why);
  }

  private void logged(@Nullable RuntimeException failure, String why) {
    if (failure != null) LOGGER.log(Level.ERROR,
        "closing a connection that " + why + " failed; the " + this + " continues without it", failure);
  }

  /** Closes a connection that is not in use, on a thread that may block. */
  private void discardLater(C connection, String why) {
    try {
      time.start(() -> discard(connection, why));
    } catch (OutOfMemoryError _) { // the process cannot start another thread
      discard(connection, why);
    }
  }

  /** Frees the place of a connection. */
  private void forget() {
    places.lock.lock();
    try {
      places.total--;
      openings.openMissing();
    } finally {
      places.unlock();
    }
  }

  /** Closes a connection, and returns its failure, after an earlier one; null without any. */
  private @Nullable RuntimeException closed(C connection, @Nullable RuntimeException before, Runnable released) {
    counters.closed.increment();
    return after(before, () -> connection.close(released));
  }

  /** Runs a close, and returns its failure, after an earlier one; null without any. */
  static @Nullable RuntimeException after(@Nullable RuntimeException before, Runnable close) {
    try {
      close.run();
      return before;
    } catch (RuntimeException e) {
      if (before == null) return e;
      before.addSuppressed(e);
      return before;
    }
  }

  /** Makes a connection available to other threads, or closes it. */
  public void release(PoolSlot<C> slot) {
    PooledConnection.Condition condition;
    try {
      condition = slot.connection.reset();
    } catch (Throwable t) {
      boolean _ = isKept(slot, PooledConnection.Condition.LOST);
      RuntimeException second = closed(slot.connection, null, this::forget);
      if (second != null) t.addSuppressed(second);
      throw t;
    }
    if (isKept(slot, condition)) return;
    RuntimeException failure = closed(slot.connection, null, this::forget);
    if (failure != null) throw failure;
  }

  private boolean isKept(PoolSlot<C> slot, PooledConnection.Condition condition) {
    slot.usedAt = time.nanoTime();
    slot.isDoubtful = condition == PooledConnection.Condition.DOUBTFUL;
    places.lock.lock();
    try {
      if (limits.hasUse()) leased.remove(slot);
      if (condition == PooledConnection.Condition.LOST || places.isClosed) return false;
      if (!slot.isExpired(slot.usedAt)) return places.hand(slot);
      counters.expired.increment();
      return false;
    } finally {
      places.unlock();
    }
  }

  /** Returns the pool's numbers at this moment. */
  public AdbcPool.Statistics statistics() {
    places.lock.lock();
    try {
      int idle = places.idle.size();
      int borrowed = places.total - openings.running() - idle;
      return counters.now(options.maximumPoolSize(), borrowed, idle, places.waiters.size());
    } finally {
      places.unlock();
    }
  }

  /** Closes the idle connections and the source; returns the first failure, to which the others are added. */
  public @Nullable RuntimeException close() {
    List<PoolSlot<C>> unused;
    places.lock.lock();
    try {
      places.isClosed = true;
      unused = List.copyOf(places.idle);
      places.idle.clear();
      for (PoolWaiter<C> waiter : places.waiters) waiter.wake();
    } finally {
      places.unlock();
    }
    time.close();
    RuntimeException failure = null;
    for (PoolSlot<C> slot : unused) failure = closed(slot.connection, failure, this::forget);
    return after(failure, source::close);
  }

  /** Returns the driver and the size, without values of options. */
  @Override
  public String toString() {
    return "pool of " + options.maximumPoolSize() + " connections by " + source;
  }
}
