// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The threads that supply bound batches to the executions of one connection, and the connections for which they wait. A
 * wait that would never end is an error.
 */
final class Feeders {
  /** The innermost callback in which this thread supplies batches to an execution. */
  private static final ThreadLocal<@Nullable Feeding> FED = new ThreadLocal<>();

  /** The number of threads that supply batches to any execution. */
  private static final AtomicInteger FEEDERS = new AtomicInteger();

  /** The monitor for {@link #needs} of all connections. */
  private static final Object NEEDS = new Object();

  /**
   * The connections whose lock the threads that supply batches to this connection hold or wait for, one entry for each
   * time. This connection cannot continue before they do. Guarded by {@link #NEEDS}.
   */
  private final List<Feeders> needs = new ArrayList<>(0);

  /**
   * The number of threads that supply batches to this connection. Callbacks write it, while another thread may hold the
   * connection lock.
   */
  private volatile int feeding;

  private static @Nullable Feeders fedHere() {
    Feeding innermost = FEEDERS.get() == 0 ? null : FED.get();
    return innermost == null ? null : innermost.fed;
  }

  /**
   * Records that this thread is about to wait for the lock of this connection.
   *
   * @throws IllegalStateException if {@code isRefused}, and the wait would never end: the thread that holds the lock
   *     waits, directly or through other connections, for the batches that this thread produces
   */
  void need(boolean isRefused) {
    Feeders fed = fedHere();
    if (fed != null) fed.addNeed(this, isRefused);
  }

  /** Records that this thread has left the lock, or waits no more. */
  void needsNoMore() {
    Feeders fed = fedHere();
    if (fed != null) fed.removeNeed(this);
  }

  private void addNeed(Feeders other, boolean isRefused) {
    synchronized (NEEDS) {
      if (isRefused && other.needs(this, new HashSet<>())) {
        throw new IllegalStateException(
            "this object's connection executes with batches that wait for the connection which is executing "
                + "with the batches that are produced here: "
                + "both would wait forever; finish one before the other begins");
      }
      needs.add(other);
    }
  }

  private void removeNeed(Feeders other) {
    synchronized (NEEDS) {
      needs.remove(other);
    }
  }

  private boolean needs(Feeders other, Set<Feeders> seen) {
    if (this == other) return true;
    if (!seen.add(this)) return false;
    for (Feeders next : needs) {
      if (next.needs(other, seen)) return true;
    }
    return false;
  }

  /** Returns whether this thread supplies batches to this connection, which then waits for this thread. */
  boolean includeThisThread() {
    if (feeding == 0) return false;
    for (Feeding each = FED.get(); each != null; each = each.outer) {
      if (each.fed == this) return true;
    }
    return false;
  }

  /**
   * A callback for bound batches: between {@link #begin} and {@link #end} its thread supplies batches to a connection.
   * Not reentrant.
   */
  static final class Feeding {
    private final Feeders fed;

    /** The callback of the same thread inside which this one runs; null if this is the outermost. */
    private @Nullable Feeding outer;

    Feeding(Feeders fed) {
      this.fed = fed;
    }

    void begin() {
      outer = FED.get();
      FEEDERS.incrementAndGet();
      synchronized (fed) {
        fed.feeding++;
      }
      FED.set(this); // last: if this fails, the counts are only too high, which costs a needless check
    }

    void end() {
      synchronized (fed) {
        fed.feeding--;
      }
      FEEDERS.decrementAndGet();
      Feeding before = outer;
      outer = null;
      if (before == null) {
        FED.remove();
      } else {
        FED.set(before);
      }
    }
  }
}
