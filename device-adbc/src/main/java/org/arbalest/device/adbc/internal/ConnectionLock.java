// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Who may call what of one connection, or of one database: one thread at a time. */
final class ConnectionLock {
  /** What this thread feeds with batches, within a callback of its driver: the innermost. */
  private static final ThreadLocal<@Nullable Feeding> FED = new ThreadLocal<>();

  /** How many threads feed any. */
  private static final AtomicInteger FEEDERS = new AtomicInteger();

  /**
   * While this thread closes a source: whose sources are to be closed when it has, and not within that, on a stack of
   * any depth.
   */
  private static final ThreadLocal<@Nullable Queue<ConnectionLock>> CLOSING = new ThreadLocal<>();

  /** Held for {@link #needs} of all. */
  private static final Object NEEDS = new Object();

  /**
   * Held while a call begins or ends, never while the driver is called. Notified when there may be something new for
   * who waits.
   */
  final Object calls = new Object();

  // Under the monitor of calls.
  private @Nullable Thread holder;
  private int holds;
  private final List<Waiting> waiting = new ArrayList<>(0);

  /** A call that waits for it. */
  static final class Waiting {
    private final NativeHandle handle;
    private final Thread caller;

    /** Whether cancelling the handle ends it, or only its caller does. */
    final boolean isOfHandle;

    boolean isCancelled;

    Waiting(NativeHandle handle, Thread caller, boolean isOfHandle) {
      this.handle = handle;
      this.caller = caller;
      this.isOfHandle = isOfHandle;
    }
  }

  /** How many cancels are in the driver. No call begins meanwhile, which they would hit. Written under the monitor. */
  private volatile int cancels;

  /** Whose call has the turn. Written under the monitor. */
  private volatile @Nullable NativeHandle current;

  /**
   * Whether that call is one that a cancel of the handle means, or only one of its caller does. Under the monitor of
   * calls.
   */
  private boolean isOfHandle;

  /** What is to be released when nobody has the turn. */
  private final Queue<Runnable> behind = new ConcurrentLinkedQueue<>();

  /**
   * Users' sources that are to be closed, when nobody has the turn, and when no more is to be released: that may take
   * as long as it likes, and other threads release meanwhile, and close others.
   */
  private final Queue<Runnable> closes = new ConcurrentLinkedQueue<>();

  /** The thread that releases what is behind; others, and what that does, leave it to that one. */
  private final AtomicReference<@Nullable Thread> releasing = new AtomicReference<>();

  /**
   * What threads that feed it have or wait for, once for each time: it cannot go on before they do. Under
   * {@link #NEEDS}.
   */
  private final List<ConnectionLock> needs = new ArrayList<>(0);

  /** How many threads feed it. Written within callbacks, while another thread may have the turn. */
  private volatile int feeding;

  /** What was executed last, if it gave a result. Under the turn. */
  private @Nullable ResultSource last;

  /**
   * Takes it, for what must neither fail nor wait: otherwise, and where this thread feeds the connection, it is done
   * behind the call that has the turn.
   *
   * @param release what is done then
   * @return whether it was taken
   */
  boolean takeOr(NativeHandle by, Runnable release) {
    if (current != null && isFedHere()) {
      // within a call of the driver's, mostly: a thread of its own may also pull when there is none
      behind.add(release);
      if (current != null || !behind.remove(release)) return false;
    }
    need(false);
    synchronized (calls) {
      if (tryTake(by, true)) return true;
      behind.add(release);
    }
    needsNoMore();
    return false;
  }

  /**
   * Takes it if it is free, or this thread's. Under the monitor of calls.
   *
   * @param endsWithHandle whether a cancel of the handle, and not only of its caller, is for what it is taken for
   */
  boolean tryTake(NativeHandle by, boolean endsWithHandle) {
    Thread here = Thread.currentThread();
    if (holder == null && cancels == 0) {
      holder = here;
      current = by;
      isOfHandle = endsWithHandle;
    }
    if (!here.equals(holder)) return false;
    holds++;
    return true;
  }

  /** Waits for something new; whether the thread was interrupted, which ends no wait. Under the monitor of calls. */
  @SuppressWarnings("WaitNotInLoop") // who calls this does
  boolean await() {
    try {
      calls.wait();
      return false;
    } catch (InterruptedException _) {
      return true;
    }
  }

  /** A call waits from now on. Under the monitor of calls. */
  void beginWait(Waiting call) {
    waiting.add(call);
  }

  void endWait(Waiting call) {
    waiting.remove(call);
  }

  /**
   * Ends the waits of a handle's calls that a cancel of it means, or those of a thread, for whichever handle; whether
   * there were any. Under the monitor of calls.
   *
   * @param caller the thread; null for the handle's
   */
  boolean cancelWaiting(NativeHandle handle, @Nullable Thread caller) {
    boolean isAny = false;
    for (Waiting call : waiting) {
      if (caller == null ? call.handle == handle && call.isOfHandle : call.caller.equals(caller)) {
        call.isCancelled = true;
        isAny = true;
      }
    }
    if (isAny) calls.notifyAll();
    return isAny;
  }

  void leave() {
    boolean isLast;
    synchronized (calls) {
      holds--;
      isLast = holds == 0;
      if (isLast) {
        holder = null;
        current = null;
        if (!waiting.isEmpty()) calls.notifyAll();
      }
    }
    needsNoMore();
    if (isLast) doWhatIsBehind();
  }

  /**
   * Closes a user's source now, or behind the call that has the turn: it may wait for that, or for another connection
   * whose call waits for this one. What it fails with is logged.
   */
  void closeBehind(Runnable close) {
    closes.add(close);
    doWhatIsBehind();
  }

  /**
   * If nobody has the turn; who has it does it when leaving. In one loop, however much it is, and whatever that adds.
   */
  private void doWhatIsBehind() {
    if (isReleasingHere()) return; // the loop goes on
    releaseAll();
    if (!closes.isEmpty()) closeSources();
  }

  private void closeSources() {
    Queue<ConnectionLock> outer = CLOSING.get();
    if (outer != null) {
      if (!outer.contains(this)) outer.add(this);
      return;
    }
    Queue<ConnectionLock> waiting = new ArrayDeque<>(1);
    CLOSING.set(waiting);
    try {
      for (ConnectionLock each = this; each != null; each = waiting.poll()) each.closeAll();
    } finally {
      CLOSING.remove();
    }
  }

  private void closeAll() {
    while (isFree()) {
      Runnable close = closes.poll();
      if (close == null) return;
      run(close);
    }
  }

  private void releaseAll() {
    while (isFree() && !behind.isEmpty() && releasing.compareAndSet(null, Thread.currentThread())) {
      try {
        releaseEach();
      } finally {
        releasing.set(null);
      } // looked at again: who added or left meanwhile has left it to this thread
    }
  }

  private void releaseEach() {
    while (isFree()) {
      Runnable action = behind.poll();
      if (action == null) return;
      run(action);
    }
  }

  private boolean isFree() {
    return current == null && cancels == 0;
  }

  /** No call fails with this: what it fails with is logged. */
  static void run(Runnable action) {
    try {
      action.run();
    } catch (Throwable t) { // of a user's source as well
      System.getLogger("org.arbalest.device.adbc").log(Level.ERROR, "closing what was used by a connection failed", t);
    }
  }

  /**
   * The driver is going to be asked to give up what has the turn, or the last result; until {@link #endCancel}. Under
   * the monitor of calls, where that was looked at.
   */
  void beginCancel() {
    synchronized (calls) {
      cancels++;
    }
  }

  void endCancel() {
    synchronized (calls) {
      cancels--;
      if (cancels == 0 && !waiting.isEmpty()) calls.notifyAll();
    }
    doWhatIsBehind();
  }

  /** Whether this thread releases what is behind. */
  boolean isReleasingHere() {
    return Thread.currentThread().equals(releasing.get());
  }

  boolean isHeldHere() {
    synchronized (calls) {
      return Thread.currentThread().equals(holder);
    }
  }

  /**
   * Whose call a cancel is for: the one that has the turn, if it is the handle's, and one that a cancel of it means;
   * or, if none has it, the handle's that gave the last result. Or the thread's, whichever it is, but not what it
   * releases for others behind its own, nor what is released. Null if there is none. Under the monitor of calls.
   *
   * @param by the thread; null for the handle's
   */
  @Nullable
  NativeHandle running(NativeHandle handle, @Nullable Thread by) {
    NativeHandle of = current;
    if (by != null) return of != null && of.isHeld() && by.equals(holder) && !by.equals(releasing.get()) ? of : null;
    boolean isIts = of == null ? last != null && last.isOf(handle) : of == handle && isOfHandle;
    return isIts ? handle : null;
  }

  private static @Nullable ConnectionLock fedHere() {
    Feeding innermost = FEEDERS.get() == 0 ? null : FED.get();
    return innermost == null ? null : innermost.fed;
  }

  /**
   * This thread is going to wait for it.
   *
   * @throws IllegalStateException if that may be refused, and would be for ever: who has it waits, maybe by way of
   *     others, for the batches that are being made here
   */
  void need(boolean isRefused) {
    ConnectionLock fed = fedHere();
    if (fed != null) fed.addNeed(this, isRefused);
  }

  void needsNoMore() {
    ConnectionLock fed = fedHere();
    if (fed != null) fed.removeNeed(this);
  }

  private void addNeed(ConnectionLock other, boolean isRefused) {
    synchronized (NEEDS) {
      if (isRefused && other.needs(this, new HashSet<>())) {
        throw new IllegalStateException(
            "this is of a connection that is executing with batches that wait for the connection which is executing "
                + "with the batches that are being made here: "
                + "both would wait for ever; let one of them be over before the other begins");
      }
      needs.add(other);
    }
  }

  private void removeNeed(ConnectionLock other) {
    synchronized (NEEDS) {
      needs.remove(other);
    }
  }

  private boolean needs(ConnectionLock other, Set<ConnectionLock> seen) {
    if (this == other) return true;
    if (!seen.add(this)) return false;
    for (ConnectionLock next : needs) {
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

  /** Whether this thread feeds it, which then waits for this thread. */
  boolean isFedHere() {
    if (feeding == 0) return false;
    for (Feeding each = FED.get(); each != null; each = each.outer) {
      if (each.fed == this) return true;
    }
    return false;
  }

  /**
   * A callback for batches that are bound: between {@link #begin} and {@link #end} its thread feeds a connection. One
   * at a time.
   */
  static final class Feeding {
    private final ConnectionLock fed;

    /** What the thread feeds as well, whose callback this one came of. */
    private @Nullable Feeding outer;

    Feeding(ConnectionLock fed) {
      this.fed = fed;
    }

    void begin() {
      outer = FED.get();
      FEEDERS.incrementAndGet();
      synchronized (fed) {
        fed.feeding++;
      }
      FED.set(this); // last: if that fails, the counts are but too high, and the thread is looked at for nothing
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
