// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
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
 */
public final class PoolConnections<C extends PooledConnection> {
  /** The least time for the first attempt to connect, and for a check. */
  private static final long ONE_SECOND = TimeUnit.SECONDS.toNanos(1);

  private final Source<C> source;
  private final AdbcPoolOptions options;
  private final long limitNanos;
  private final long aliveNanos;
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
    this.time = time;
  }

  /** Returns a connection, which the caller passes to {@link #release}; see {@link AdbcPool#acquire}. */
  public PoolSlot<C> acquire() throws InterruptedException, TimeoutException {
    if (Thread.interrupted()) throw new InterruptedException("interrupted before a connection was acquired");
    PoolSlot<C> slot = take(false);
    while (!isUsable(slot)) slot = take(true);
    return slot;
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
      return slot == null ? await(isNext) : slot;
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

  /** Opens as many connections as threads wait for, within the bounds. Requires the lock. */
  private void openMissing() {
    while (!isClosed && !isAway && total < options.maximumPoolSize() && opening < source.most()
        && opening < waiters.size()) {
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
    C opened;
    try {
      opened = source.open();
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
        hand(new PoolSlot<>(opened, time.nanoTime()));
        openMissing();
        return;
      }
      total--;
    } finally {
      lock.unlock();
    }
    discard(opened, "was opened while the pool was closed");
  }

  private void failed(Throwable failure, boolean isRepeated) {
    counters.connectFailures.increment();
    lock.lock();
    try {
      if (isRepeated) isAway = false;
      if (ConnectFailure.mayPass(failure)) repeat(failure);
      else giveUp(failure);
    } finally {
      lock.unlock();
    }
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
      endOpening(true);
    } finally {
      lock.unlock();
    }
  }

  /** Ends an opening by a failure that another attempt does not mend. The first waiting thread throws it. */
  private void giveUp(Throwable failure) {
    endOpening(false);
    failures = 0;
    Waiter<C> first = waiters.poll();
    if (first != null) {
      first.failure = failure;
      first.changed.signal();
    }
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
    if (failure != null) System.getLogger("org.arbalest.device.adbc").log(Level.ERROR,
        "closing a connection that " + why + " failed; " + this + " replaces it", failure);
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
      if (condition != PooledConnection.Condition.LOST && !isClosed) {
        hand(slot);
        return true;
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
