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

  /** Waits for a change. */
  @SuppressWarnings("WaitNotInLoop") // the caller loops
  void await(long nanos) throws InterruptedException {
    long _ = changed.awaitNanos(nanos);
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
   */
  TimeoutException timeout(long limitNanos, int size, boolean isOpening) {
    String within = " within " + TimeUnit.NANOSECONDS.toMillis(limitNanos) + " ms, because ";
    if (attempts > 0) {
      var failed = new TimeoutException("no connection of the pool was opened" + within + attempts
          + (attempts == 1 ? " attempt" : " attempts") + " to connect failed, the last by the cause of this exception; "
          + "check that the server runs and accepts the user");
      failed.initCause(lastFailure);
      return failed;
    }
    return new TimeoutException(isOpening
        ? "no connection of the pool was opened" + within + "the database has not answered; check that the server "
            + "runs, and raise the time limit"
        : "no connection of the pool became free" + within + "all " + size + " are in use; close their leases earlier, "
            + "or make the pool larger");
  }
}
