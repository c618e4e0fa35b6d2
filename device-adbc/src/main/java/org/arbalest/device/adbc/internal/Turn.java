// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Who may call what of one connection, or of one database: one thread at a time. */
final class Turn {
  /** The connection that is fed with batches by this thread, within a callback of its driver. */
  private static final ThreadLocal<@Nullable Turn> FED = new ThreadLocal<>();

  private final ReentrantLock lock = new ReentrantLock();

  /** How many threads feed it. Written within callbacks, while another thread may have the turn. */
  private volatile int feeding;

  /** What was executed last, if it gave a result. Under the turn. */
  private @Nullable ResultSource last;

  void take() {
    lock.lock();
  }

  void leave() {
    lock.unlock();
  }

  /** Something else is executed from now on. Under the turn, as what follows. */
  void executes() {
    last = null;
  }

  /** That gave this result. */
  void executed(ResultSource result) {
    last = result;
  }

  /** Whether nothing was executed since what gave this result. */
  boolean isLast(ResultSource result) {
    return last == result;
  }

  /** This thread is called back for batches that are bound, until {@link #fed}, which wants the answer. */
  @Nullable
  Turn feeds() {
    Turn before = FED.get();
    FED.set(this);
    synchronized (this) {
      feeding++;
    }
    return before;
  }

  void fed(@Nullable Turn before) {
    synchronized (this) {
      feeding--;
    }
    if (before == null) {
      FED.remove();
    } else {
      FED.set(before);
    }
  }

  /** Whether this thread feeds it, which then waits for this thread. */
  boolean isFedHere() {
    return feeding != 0 && FED.get() == this;
  }
}
