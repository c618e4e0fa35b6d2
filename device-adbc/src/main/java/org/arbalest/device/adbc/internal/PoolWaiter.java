// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/** A thread that waits for a connection. The pool's lock guards it. */
final class PoolWaiter<C extends PooledConnection> {
  private final Condition changed;
  private @Nullable PoolSlot<C> slot;

  /** A failure to connect that another attempt does not mend. */
  private @Nullable Throwable failure;

  /** The number of failed attempts during the wait, which are repeated, and the last failure. */
  private int attempts;
  private @Nullable Throwable lastFailure;

  /**
   * Creates a waiter.
   *
   * @param changed a condition of the pool's lock
   */
  PoolWaiter(Condition changed) {
    this.changed = changed;
  }

  /** Waits for a change, for at most a time. */
  void await(PoolTime time, long nanos) throws InterruptedException {
    time.await(changed, nanos);
  }

  /** Wakes the thread, which checks whether the pool is closed. */
  void wake() {
    changed.signal();
  }

  void receive(PoolSlot<C> given) {
    slot = given;
    wake();
  }

  void fail(Throwable reason) {
    failure = reason;
    wake();
  }

  /** Records a failed attempt to connect, which is repeated. */
  void attemptFailed(Throwable reason) {
    attempts++;
    lastFailure = reason;
    wake();
  }

  /** Returns whether an attempt to connect has failed during the wait. */
  boolean hasFailedAttempt() {
    return attempts > 0;
  }

  /** Returns the connection that the thread has received; null without one. */
  @Nullable
  PoolSlot<C> received() {
    return slot;
  }

  /** Throws the failure of a background thread, if any, with the stack of this thread as suppressed. */
  void throwFailure() {
    if (failure == null) return;
    failure.addSuppressed(new Exception("the stack of the thread that acquires a connection"));
    if (failure instanceof RuntimeException e) throw e;
    if (failure instanceof Error e) throw e;
    throw new IllegalStateException(failure);
  }

  /**
   * Returns the exception of a wait that ends at its limit.
   *
   * @param size the maximum number of connections
   * @param isOpening whether a connection is being opened
   * @param earlier the failure to connect since which the server has not answered; null without one
   */
  TimeoutException timeout(long limitNanos, int size, boolean isOpening, @Nullable Throwable earlier) {
    String within = within(limitNanos);
    if (attempts > 0 || (isOpening && earlier != null)) {
      String failures = attempts == 0 ? "the last attempt to connect failed, by"
          : attempts + (attempts == 1 ? " attempt" : " attempts") + " to connect failed, the last by";
      var failed = new TimeoutException("no connection of the pool was opened" + within + failures
          + " the cause of this exception; check that the server runs and accepts the user");
      failed.initCause(attempts > 0 ? lastFailure : earlier);
      return failed;
    }
    return new TimeoutException(isOpening
        ? "no connection of the pool was opened" + within + "the database has not answered; check that the server "
            + "runs, and raise the time limit"
        : "no connection of the pool became free" + within + "all " + size + " are in use; close their leases earlier, "
            + "or make the pool larger");
  }

  /** Returns the exception of a thread whose checks of idle connections have taken all its time. */
  static TimeoutException lateChecks(long limitNanos) {
    return new TimeoutException("no connection of the pool was usable" + within(limitNanos) + "the checks of idle "
        + "connections failed or did not end; check that the server runs, and raise the time limit");
  }

  private static String within(long limitNanos) {
    return " within " + TimeUnit.NANOSECONDS.toMillis(limitNanos) + " ms, because ";
  }
}
