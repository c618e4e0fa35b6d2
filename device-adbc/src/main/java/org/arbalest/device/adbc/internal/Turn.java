// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Who may call what of one connection, or of one database: one thread at a time. */
final class Turn {
  /** The connection that is fed with batches by this thread, within a callback of its driver. */
  private static final ThreadLocal<@Nullable Turn> FED = new ThreadLocal<>();

  /** How many threads feed any. */
  private static final AtomicInteger FEEDERS = new AtomicInteger();

  /** Held for {@link #needs} of all. */
  private static final Object NEEDS = new Object();

  private final ReentrantLock lock = new ReentrantLock();

  /** What threads that feed it have or wait for, once for each time: it cannot go on before they do. */
  private final List<Turn> needs = new ArrayList<>(0);

  /** How many threads feed it. Written within callbacks, while another thread may have the turn. */
  private volatile int feeding;

  /** What was executed last, if it gave a result. Under the turn. */
  private @Nullable ResultSource last;

  /** Waits for it, if need be for ever: for what must not fail. */
  void take() {
    Turn fed = fedHere();
    if (fed != null) fed.addNeed(this, false);
    lock.lock();
  }

  /**
   * Waits for it.
   *
   * @throws IllegalStateException if that would be for ever: who has it waits, maybe by way of others, for the batches that are being made here
   */
  void takeForCall() {
    Turn fed = fedHere();
    if (fed != null) fed.addNeed(this, true);
    lock.lock();
  }

  void leave() {
    lock.unlock();
    Turn fed = fedHere();
    if (fed != null) fed.removeNeed(this);
  }

  private static @Nullable Turn fedHere() {
    return FEEDERS.get() == 0 ? null : FED.get();
  }

  private void addNeed(Turn other, boolean isRefused) {
    synchronized (NEEDS) {
      if (isRefused && other.needs(this, new HashSet<>())) {
        throw new IllegalStateException(
            "this is of a connection that is executing with batches that wait for the connection which is executing with the batches that are being made here: "
                + "both would wait for ever; let one of them be over before the other begins");
      }
      needs.add(other);
    }
  }

  private void removeNeed(Turn other) {
    synchronized (NEEDS) {
      needs.remove(other);
    }
  }

  private boolean needs(Turn other, Set<Turn> seen) {
    if (this == other) return true;
    if (!seen.add(this)) return false;
    for (Turn next : needs) {
      if (next.needs(other, seen)) return true;
    }
    return false;
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
    FEEDERS.incrementAndGet();
    synchronized (this) {
      feeding++;
    }
    return before;
  }

  void fed(@Nullable Turn before) {
    FEEDERS.decrementAndGet();
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
