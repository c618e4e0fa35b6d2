// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The releases of driver objects, and the closes of users' sources, that wait until a connection lock is free. */
final class DeferredReleases {
  /**
   * The connections whose sources this thread closes after its current close. It does not close them inside that close,
   * so that the stack depth stays limited. Null while this thread closes no source.
   */
  private static final ThreadLocal<@Nullable Queue<DeferredReleases>> CLOSING = new ThreadLocal<>();

  private final BooleanSupplier isFree;

  /** The releases to run when the lock is free. */
  private final Queue<Runnable> behind = new ConcurrentLinkedQueue<>();

  /**
   * The closes of users' sources, to run when the lock is free and after all releases. A close may take any length of
   * time; other threads release and close meanwhile.
   */
  private final Queue<Runnable> closes = new ConcurrentLinkedQueue<>();

  /**
   * The thread that runs the deferred releases. Other threads, and the releases themselves, leave new ones to this
   * thread.
   */
  private final AtomicReference<@Nullable Thread> releasing = new AtomicReference<>();

  /**
   * Creates the queues of a lock.
   *
   * @param isFree returns whether the lock is free
   */
  DeferredReleases(BooleanSupplier isFree) {
    this.isFree = isFree;
  }

  /** Adds a release; the thread that leaves the lock runs it. */
  void add(Runnable release) {
    behind.add(release);
  }

  /** Removes a release; returns false if it has already begun. */
  boolean remove(Runnable release) {
    return behind.remove(release);
  }

  /**
   * Closes a user's source now, or after the current call: the close may wait for that call, or for another connection
   * whose call waits for this one. A failure is logged.
   */
  void close(Runnable close) {
    closes.add(close);
    runAll();
  }

  /**
   * Runs the deferred operations if the lock is free; otherwise the thread that holds it runs them when it leaves. One
   * loop runs all of them, including those that they add.
   */
  void runAll() {
    if (areRunHere()) return; // the outer loop runs them
    releaseAll();
    if (!closes.isEmpty()) closeSources();
  }

  private void closeSources() {
    Queue<DeferredReleases> outer = CLOSING.get();
    if (outer != null) {
      if (!outer.contains(this)) outer.add(this);
      return;
    }
    Queue<DeferredReleases> closing = new ArrayDeque<>(1);
    CLOSING.set(closing);
    try {
      for (DeferredReleases each = this; each != null; each = closing.poll()) each.closeAll();
    } finally {
      CLOSING.remove();
    }
  }

  private void closeAll() {
    while (isFree.getAsBoolean()) {
      Runnable close = closes.poll();
      if (close == null) return;
      run(close);
    }
  }

  private void releaseAll() {
    while (isFree.getAsBoolean() && !behind.isEmpty() && releasing.compareAndSet(null, Thread.currentThread())) {
      try {
        releaseEach();
      } finally {
        releasing.set(null);
      } // checked again: threads that added or left meanwhile relied on this thread
    }
  }

  private void releaseEach() {
    while (isFree.getAsBoolean()) {
      Runnable action = behind.poll();
      if (action == null) return;
      run(action);
    }
  }

  /**
   * Runs the deferred releases before a call of this thread, which holds the lock. Otherwise threads that open
   * connections without a pause would defer the releases of closed ones, and the server limits their number.
   */
  void releaseFirst() {
    if (behind.isEmpty() || !releasing.compareAndSet(null, Thread.currentThread())) return;
    try {
      for (Runnable action = behind.poll(); action != null; action = behind.poll()) run(action);
    } finally {
      releasing.set(null);
    }
  }

  /** Runs a deferred operation. A failure is logged, and no call throws it. */
  static void run(Runnable action) {
    try {
      action.run();
    } catch (Throwable t) { // including the failure of a user's source
      System.getLogger("org.arbalest.device.adbc").log(Level.ERROR, "closing a driver's object of a connection failed",
          t);
    }
  }

  /** Returns whether this thread runs the deferred releases. */
  boolean areRunHere() {
    return areRunBy(Thread.currentThread());
  }

  boolean areRunBy(Thread thread) {
    return thread.equals(releasing.get());
  }
}
