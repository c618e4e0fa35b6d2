// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * The release of a result inside a transaction, and the cancel of its query if the release does not return within a
 * moment.
 *
 * <p>A cancel aborts the transaction of PostgreSQL, whose driver releases in microseconds. DuckDB's release waits for
 * the query, and its transaction continues after a cancel.
 */
final class LateCancel {
  /** Longer than a release that does not wait for its query, also on a busy machine. */
  private static final long MOMENT_IN_MS = 50;

  private static final Executor AFTER_A_MOMENT =
      CompletableFuture.delayedExecutor(MOMENT_IN_MS, TimeUnit.MILLISECONDS, Runnable::run);

  private final ConnectionLock lock;
  private final Runnable cancel;

  // Guarded by the monitor of calls.
  private boolean isReleasing = true;
  private boolean isCancelling;

  private LateCancel(ConnectionLock lock, Runnable cancel) {
    this.lock = lock;
    this.cancel = cancel;
  }

  /**
   * Calls a release, which may take any time, and from another thread the cancel that ends it. When this method
   * returns, the cancel is not running and will not run. Requires the connection lock.
   */
  static void release(ConnectionLock lock, Runnable release, Runnable cancel) {
    var late = new LateCancel(lock, cancel);
    AFTER_A_MOMENT.execute(late::startIfReleasing);
    try {
      release.run();
    } finally {
      late.end();
    }
  }

  /** Runs on the thread that keeps the time, which must not wait for a driver. */
  private void startIfReleasing() {
    synchronized (lock.calls) {
      if (!isReleasing) return;
    }
    Thread.ofPlatform().daemon().name("arbalest-adbc-cancel").start(this::cancelIfReleasing);
  }

  private void cancelIfReleasing() {
    synchronized (lock.calls) {
      if (!isReleasing) return;
      isCancelling = true;
    }
    try {
      cancel.run();
    } finally {
      synchronized (lock.calls) {
        isCancelling = false;
        lock.calls.notifyAll();
      }
    }
  }

  private void end() {
    boolean isInterrupted = false;
    synchronized (lock.calls) {
      isReleasing = false;
      while (isCancelling) isInterrupted |= lock.await(); // a late cancel would end the next execution
    }
    if (isInterrupted) Thread.currentThread().interrupt();
  }
}
