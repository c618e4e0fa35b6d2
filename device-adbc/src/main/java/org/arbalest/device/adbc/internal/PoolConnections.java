// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.lang.System.Logger.Level;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.arbalest.device.adbc.AdbcPool;
import org.arbalest.device.adbc.AdbcPoolOptions;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a pool, and the threads that wait for one.
 *
 * <p>Background threads open connections, so that neither an interrupt nor a time limit waits for a driver. A thread
 * that waits receives the first connection that another thread returns, or that is opened. While the server is away,
 * one background thread repeats the attempt, with pauses, as long as a thread waits.
 *
 * <p>The upkeep, at intervals, closes idle connections that have reached a time limit, opens those of the minimum, and
 * reports long uses.
 */
public final class PoolConnections<C extends PooledConnection> {
  /** The least time for the first attempt to connect, and for a check. */
  private static final long ONE_SECOND = TimeUnit.SECONDS.toNanos(1);

  /** The longest time between two runs of the upkeep. */
  private static final long LONGEST_INTERVAL = TimeUnit.SECONDS.toNanos(30);

  /** The part of a lifetime by which that of a connection is shorter, at most. */
  private static final double LONGEST_CUT = 0.1;

  private static final double GOLDEN_RATIO = 0.6180339887;

  /** No time limit. */
  private static final long NONE = Long.MAX_VALUE;

  private static final String EXPIRED = "reached its maximum lifetime";

  private static final System.Logger LOGGER = System.getLogger("org.arbalest.device.adbc");

  private final Source<C> source;
  private final AdbcPoolOptions options;
  private final long limitNanos;
  private final long aliveNanos;
  private final long idleNanos;
  private final long lifetimeNanos;
  private final long leakNanos;
  private final PoolTime time;
  private final PoolCounters counters = new PoolCounters();

  /** Guards all that follows. Never held during a call of a driver. */
  private final ReentrantLock lock = new ReentrantLock();

  /** The idle connections, the most recently used first. Empty while a thread waits. */
  private final Deque<PoolSlot<C>> idle = new ArrayDeque<>();

  /** The threads that wait, in the order in which they receive a connection. */
  private final Deque<Waiter<C>> waiters = new ArrayDeque<>();

  /** The number of connections that are open or being opened. */
  private int total;

  /** The number of connections that are being opened, including one whose attempt is repeated after a pause. */
  private int opening;

  /** Whether the server is away: one opening repeats its attempt, and no other begins. */
  private boolean isAway;

  /** The number of failed attempts since the server answered. */
  private int failures;

  /** Whether the last attempt to connect failed and no thread waits: the upkeep opens idle connections again. */
  private boolean isMinimumPaused;

  /** The number of connections that were opened, by which their lifetimes differ. */
  private long opened;

  /** The connections in use; empty if the pool does not report long uses. */
  private final Set<PoolSlot<C>> leased = new HashSet<>();

  private boolean isClosed;

  /** The origin of connections. */
  public interface Source<C> {
    /** Returns the maximum number of calls of {@link #open} at the same time. */
    int most();

    /** Opens a connection. Background threads call it. */
    C open();

    /** Releases what opens connections. A failure is thrown. */
    void close();
  }

  /** A thread that waits. */
  private static final class Waiter<C extends PooledConnection> {
    final Condition changed;
    @Nullable PoolSlot<C> slot;

    /** A failure to connect that another attempt does not mend. */
    @Nullable Throwable failure;

    /** The number of failed attempts during the wait, which are repeated, and the last failure. */
    int attempts;
    @Nullable Throwable lastFailure;

    Waiter(Condition changed) {
      this.changed = changed;
    }
  }

  /** Creates a pool without connections. */
  public PoolConnections(Source<C> source, AdbcPoolOptions options, PoolTime time) {
    this.source = source;
    this.options = options;
    this.limitNanos = TimeUnit.NANOSECONDS.convert(options.connectionTimeout());
    this.aliveNanos = TimeUnit.NANOSECONDS.convert(options.aliveBypassWindow());
    this.idleNanos = nanosOrNone(options.idleTimeout());
    this.lifetimeNanos = nanosOrNone(options.maxLifetime());
    this.leakNanos = nanosOrNone(options.leakDetectionThreshold());
    this.time = time;
  }

  private static long nanosOrNone(Duration limit) {
    return limit.isZero() ? NONE : TimeUnit.NANOSECONDS.convert(limit);
  }

  /** Opens the connections of the minimum, and begins the upkeep. */
  public void start() {
    lock.lock();
    try {
      openMissing();
    } finally {
      lock.unlock();
    }
    long shortest = Math.min(Math.min(idleNanos, lifetimeNanos), leakNanos);
    if (shortest == NONE && options.minimumIdle() == 0) return;
    keepUp(new WeakReference<>(this), time, Math.clamp(shortest / 2, 1_000_000, LONGEST_INTERVAL));
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
    lock.lock();
    try {
      if (isClosed) return;
      long now = time.nanoTime();
      for (var slots = idle.descendingIterator(); slots.hasNext();) {
        PoolSlot<C> slot = slots.next();
        boolean isExpired = slot.isExpired(now);
        if (!isExpired && (now - slot.usedAt < idleNanos || idle.size() <= options.minimumIdle())) continue;
        slots.remove();
        (isExpired ? expired : unused).add(slot);
      }
      total -= expired.size() + unused.size();
      for (PoolSlot<C> slot : leased) {
        if (slot.leasedBy == null || now - slot.leasedAt < leakNanos) continue;
        leaks.add(slot.leasedBy);
        slot.leasedBy = null;
      }
      isMinimumPaused = false;
      openMissing();
    } finally {
      lock.unlock();
    }
    counters.expired.add(expired.size());
    counters.idleTimeouts.add(unused.size());
    counters.leaks.add(leaks.size());
    for (PoolSlot<C> slot : expired) time.start(() -> discard(slot.connection, EXPIRED));
    for (PoolSlot<C> slot : unused) time.start(() -> discard(slot.connection, "reached the idle limit"));
    for (Exception leak : leaks) LOGGER.log(Level.WARNING, "a connection of the " + this + " is in use for more than "
        + options.leakDetectionThreshold().toMillis() + " ms; close the lease that was acquired here", leak);
  }

  /** Returns a connection, which the caller passes to {@link #release}; see {@link AdbcPool#acquire}. */
  public PoolSlot<C> acquire() throws InterruptedException, TimeoutException {
    if (Thread.interrupted()) throw new InterruptedException("interrupted before a connection was acquired");
    PoolSlot<C> slot = take(false);
    while (!isUsable(slot)) slot = take(true);
    if (leakNanos != NONE) watch(slot);
    return slot;
  }

  private void watch(PoolSlot<C> slot) {
    var here = new Exception("the stack of the thread " + Thread.currentThread().getName());
    lock.lock();
    try {
      slot.leasedAt = time.nanoTime();
      slot.leasedBy = here;
      leased.add(slot);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns an idle connection, or waits for one.
   *
   * @param isNext whether the thread has waited for its turn already
   */
  private PoolSlot<C> take(boolean isNext) throws InterruptedException, TimeoutException {
    lock.lock();
    try {
      checkOpen();
      PoolSlot<C> slot = idle.poll();
      if (slot == null) return await(isNext);
      if (idle.size() < options.minimumIdle()) openMissing();
      return slot;
    } finally {
      lock.unlock();
    }
  }

  /** Throws if the pool is closed. */
  public void checkOpen() {
    lock.lock();
    try {
      if (isClosed) throw new IllegalStateException("the pool is closed");
    } finally {
      lock.unlock();
    }
  }

  private PoolSlot<C> await(boolean isNext) throws InterruptedException, TimeoutException {
    var waiter = new Waiter<C>(lock.newCondition());
    if (isNext) waiters.addFirst(waiter);
    else waiters.addLast(waiter);
    PoolCounters.Wait wait = counters.startWait();
    PoolSlot<C> given = null;
    try {
      openMissing();
      boolean isOpenedForIt = waiters.size() <= opening;
      while (waiter.slot == null) {
        if (waiter.failure != null) throw rethrown(waiter.failure);
        checkOpen();
        long limit = isOpenedForIt && waiter.attempts == 0 ? Math.max(limitNanos, ONE_SECOND) : limitNanos;
        long left = limit - wait.nanos();
        if (left <= 0) throw timeout(wait, waiter);
        var _ = waiter.changed.awaitNanos(left);
      }
      given = waiter.slot;
      return given;
    } finally {
      waiters.remove(waiter);
      if (given == null && waiter.slot != null) hand(waiter.slot); // interrupted meanwhile
      wait.end(this, given != null);
    }
  }

  /** Returns a failure of a background thread, with the stack of this thread as suppressed. */
  private static RuntimeException rethrown(Throwable failure) {
    failure.addSuppressed(new Exception("the stack of the thread that acquires a connection"));
    if (failure instanceof RuntimeException e) return e;
    if (failure instanceof Error e) throw e;
    return new IllegalStateException(failure);
  }

  private TimeoutException timeout(PoolCounters.Wait wait, Waiter<C> waiter) {
    wait.timesOut();
    String within = " within " + TimeUnit.NANOSECONDS.toMillis(limitNanos) + " ms, because ";
    if (waiter.attempts > 0) {
      var failed = new TimeoutException("no connection of the pool was opened" + within + waiter.attempts
          + (waiter.attempts == 1 ? " attempt" : " attempts") + " to connect failed, the last by the cause of this "
          + "exception; check that the server runs and accepts the user");
      failed.initCause(waiter.lastFailure);
      return failed;
    }
    return new TimeoutException(opening > 0
        ? "no connection of the pool was opened" + within + "the database has not answered; check that the server "
            + "runs, and raise the time limit"
        : "no connection of the pool became free" + within + "all " + options.maximumPoolSize()
            + " are in use; close their leases earlier, or make the pool larger");
  }

  /** Returns the number of connections that threads, and the minimum of idle ones, wait for. */
  private int missing() {
    return waiters.size() + (isMinimumPaused ? 0 : Math.max(0, options.minimumIdle() - idle.size()));
  }

  /** Opens the missing connections within the bounds. Requires the lock. */
  private void openMissing() {
    while (!isClosed && !isAway && total < options.maximumPoolSize() && opening < source.most()
        && opening < missing()) {
      total++;
      opening++;
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
      time.start(() -> open(isRepeated));
    } catch (Throwable t) { // for example, the process cannot start another thread
      endOpening(isRepeated);
      throw t;
    }
  }

  private void endOpening(boolean isRepeated) {
    if (isRepeated) isAway = false;
    opening--;
    total--;
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
    lock.lock();
    try {
      opening--;
      isAway = false;
      failures = 0;
      if (!isClosed) {
        isMinimumPaused = false;
        hand(new PoolSlot<>(made, time.nanoTime(), nextLifetime()));
        openMissing();
        return;
      }
      total--;
    } finally {
      lock.unlock();
    }
    discard(made, "was opened while the pool was closed");
  }

  /** Returns the maximum age of the next connection: those of any connections in a row differ as far as possible. */
  private long nextLifetime() {
    if (lifetimeNanos == NONE) return NONE;
    double part = opened++ * GOLDEN_RATIO % 1;
    return lifetimeNanos - (long) (lifetimeNanos * LONGEST_CUT * part);
  }

  private void failed(Throwable failure, boolean isRepeated) {
    counters.connectFailures.increment();
    lock.lock();
    try {
      if (isRepeated) isAway = false;
      if (waiters.isEmpty()) pauseMinimum(failure);
      else if (ConnectFailure.mayPass(failure)) repeat(failure);
      else giveUp(failure);
    } finally {
      lock.unlock();
    }
  }

  private void pauseMinimum(Throwable failure) {
    endOpening(false);
    failures = 0;
    if (isMinimumPaused || isClosed || options.minimumIdle() == 0) return;
    isMinimumPaused = true;
    LOGGER.log(Level.WARNING, "opening an idle connection of the " + this + " failed; it is repeated later", failure);
  }

  private void repeat(Throwable failure) {
    for (Waiter<C> waiter : waiters) {
      waiter.attempts++;
      waiter.lastFailure = failure;
      waiter.changed.signal();
    }
    if (isAway || isClosed) { // another opening repeats its attempt
      endOpening(false);
      return;
    }
    isAway = true;
    failures++;
    time.after(ConnectFailure.pauseNanos(failures), this::openAgain);
  }

  private void openAgain() {
    lock.lock();
    try {
      if (!isClosed && !waiters.isEmpty()) {
        startOpening(true);
        return;
      }
      failures = 0;
      isMinimumPaused = true;
      endOpening(true);
    } finally {
      lock.unlock();
    }
  }

  /** Ends an opening by a failure that another attempt does not mend. The first waiting thread throws it. */
  private void giveUp(Throwable failure) {
    endOpening(false);
    failures = 0;
    Waiter<C> first = waiters.remove();
    first.failure = failure;
    first.changed.signal();
    openMissing();
  }

  /** Passes a connection to the first waiting thread, or makes it idle. Requires the lock. */
  private void hand(PoolSlot<C> slot) {
    Waiter<C> first = waiters.poll();
    if (first == null) {
      slot.isNew = false;
      idle.push(slot);
    } else {
      first.slot = slot;
      first.changed.signal();
    }
  }

  private boolean isUsable(PoolSlot<C> slot) throws InterruptedException {
    if (slot.isNew) {
      slot.isNew = false;
      return true;
    }
    if (slot.isExpired(time.nanoTime())) {
      counters.expired.increment();
      forget();
      discard(slot.connection, EXPIRED);
      return false;
    }
    if (!slot.isDoubtful && time.nanoTime() - slot.usedAt < aliveNanos) {
      counters.bypassedChecks.increment();
      return true;
    }
    IdleCheck.Result result;
    try {
      result = IdleCheck.of(slot.connection, Math.max(limitNanos, ONE_SECOND), time, this::discardInvalid);
    } catch (Throwable t) { // the check closes the connection
      forget();
      throw t;
    }
    if (result == IdleCheck.Result.VALID) return true;
    counters.validationFailures.increment();
    forget();
    if (result == IdleCheck.Result.INVALID) discardInvalid(slot.connection);
    return false;
  }

  private void discardInvalid(C connection) {
    discard(connection, "failed its check");
  }

  /** Closes a connection that is not in use. A failure is logged. */
  private void discard(C connection, String why) {
    RuntimeException failure = closed(connection, null);
    if (failure != null)
      LOGGER.log(Level.ERROR, "closing a connection that " + why + " failed; " + this + " replaces it", failure);
  }

  /** Frees the place of a connection. */
  private void forget() {
    lock.lock();
    try {
      total--;
      openMissing();
    } finally {
      lock.unlock();
    }
  }

  /** Closes a connection, and returns its failure, after an earlier one; null without any. */
  private @Nullable RuntimeException closed(C connection, @Nullable RuntimeException before) {
    counters.closed.increment();
    return after(before, connection::close);
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
    PooledConnection.Condition condition = PooledConnection.Condition.LOST;
    boolean isKept;
    try {
      condition = slot.connection.reset();
    } finally {
      isKept = isKept(slot, condition);
    }
    if (isKept) return;
    RuntimeException failure = closed(slot.connection, null);
    if (failure != null) throw failure;
  }

  private boolean isKept(PoolSlot<C> slot, PooledConnection.Condition condition) {
    slot.usedAt = time.nanoTime();
    slot.isDoubtful = condition == PooledConnection.Condition.DOUBTFUL;
    lock.lock();
    try {
      if (leakNanos != NONE) leased.remove(slot);
      if (condition != PooledConnection.Condition.LOST && !isClosed) {
        if (!slot.isExpired(slot.usedAt)) {
          hand(slot);
          return true;
        }
        counters.expired.increment();
      }
      total--;
      openMissing();
      return false;
    } finally {
      lock.unlock();
    }
  }

  /** Returns the pool's numbers at this moment. */
  public AdbcPool.Statistics statistics() {
    lock.lock();
    try {
      return counters.now(options.maximumPoolSize(), total - opening - idle.size(), idle.size(), waiters.size());
    } finally {
      lock.unlock();
    }
  }

  /** Closes the idle connections and the source; returns the first failure, to which the others are added. */
  public @Nullable RuntimeException close() {
    List<PoolSlot<C>> unused;
    lock.lock();
    try {
      isClosed = true;
      unused = List.copyOf(idle);
      idle.clear();
      total -= unused.size();
      for (Waiter<C> waiter : waiters) waiter.changed.signal();
    } finally {
      lock.unlock();
    }
    time.close();
    RuntimeException failure = null;
    for (PoolSlot<C> slot : unused) failure = closed(slot.connection, failure);
    return after(failure, source::close);
  }

  /** Returns the driver and the size, without values of options. */
  @Override
  public String toString() {
    return "pool of " + options.maximumPoolSize() + " connections by " + source;
  }
}
