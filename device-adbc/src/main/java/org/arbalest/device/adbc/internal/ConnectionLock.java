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

/** The lock of one connection or of one database: one thread at a time calls the driver. */
final class ConnectionLock {
  /** The innermost callback in which this thread supplies batches to an execution. */
  private static final ThreadLocal<@Nullable Feeding> FED = new ThreadLocal<>();

  /** The number of threads that supply batches to any execution. */
  private static final AtomicInteger FEEDERS = new AtomicInteger();

  /**
   * The locks whose sources this thread closes after its current close. It does not close them inside that close, so
   * that the stack depth stays limited. Null while this thread closes no source.
   */
  private static final ThreadLocal<@Nullable Queue<ConnectionLock>> CLOSING = new ThreadLocal<>();

  /** The monitor for {@link #needs} of all locks. */
  private static final Object NEEDS = new Object();

  /**
   * The monitor for the beginning and the end of calls; never held during a driver call. It is notified when a waiting
   * thread must check its condition again.
   */
  final Object calls = new Object();

  // Guarded by calls.
  private @Nullable Thread holder;
  private int holds;
  private final List<Waiting> waiting = new ArrayList<>(0);

  /** A call that waits for this lock. */
  static final class Waiting {
    private final NativeHandle handle;
    private final Thread caller;

    /** Whether a cancel of the handle ends the wait; otherwise only a cancel of the calling thread does. */
    final boolean isOfHandle;

    boolean isCancelled;

    Waiting(NativeHandle handle, Thread caller, boolean isOfHandle) {
      this.handle = handle;
      this.caller = caller;
      this.isOfHandle = isOfHandle;
    }
  }

  /**
   * The number of cancel calls in the driver. No call begins meanwhile, because the driver would cancel it too. Written
   * under the monitor.
   */
  private volatile int cancels;

  /** The handle whose call holds this lock. Written under the monitor. */
  private volatile @Nullable NativeHandle current;

  /**
   * Whether a cancel of the handle applies to that call; otherwise only a cancel of its caller does. Guarded by calls.
   */
  private boolean isOfHandle;

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
   * The locks that threads which supply batches to this connection hold or wait for, one entry for each time. This
   * connection cannot continue before they do. Guarded by {@link #NEEDS}.
   */
  private final List<ConnectionLock> needs = new ArrayList<>(0);

  /**
   * The number of threads that supply batches to this connection. Callbacks write it, while another thread may hold
   * this lock.
   */
  private volatile int feeding;

  /** The result of the last execution, if it has one. Guarded by this lock. */
  private @Nullable ResultSource last;

  /** Whether autocommit is on, the default of {@code adbc.h}, by the options that were set. Guarded by this lock. */
  private boolean isAutoCommit = true;

  /**
   * Takes this lock for an operation that must neither fail nor wait. If the lock is not free, or this thread supplies
   * batches to the connection, the operation is deferred until after the current call.
   *
   * @param release the deferred operation
   * @return whether the lock was taken
   */
  boolean takeOr(NativeHandle by, Runnable release) {
    if (current != null && isFedHere()) {
      // This is usually inside a driver call. A driver's own thread may also pull when no call runs.
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
   * Takes this lock if it is free or belongs to this thread. Requires the monitor of calls.
   *
   * @param endsWithHandle whether a cancel of the handle applies to the call; otherwise only a cancel of its caller
   *     does
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

  /**
   * Waits for a notification, and returns whether the thread was interrupted; an interrupt does not end the wait.
   * Requires the monitor of calls.
   */
  @SuppressWarnings("WaitNotInLoop") // the caller loops
  boolean await() {
    try {
      calls.wait();
      return false;
    } catch (InterruptedException _) {
      return true;
    }
  }

  /** Registers a waiting call. Requires the monitor of calls. */
  void beginWait(Waiting call) {
    waiting.add(call);
  }

  void endWait(Waiting call) {
    waiting.remove(call);
  }

  /**
   * Ends the waits of a handle's calls to which a cancel of the handle applies, or all waits of a thread, and returns
   * whether any call waited. Requires the monitor of calls.
   *
   * @param caller the thread; null for the handle's calls
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
   * Closes a user's source now, or after the current call: the close may wait for that call, or for another connection
   * whose call waits for this one. A failure is logged.
   */
  void closeBehind(Runnable close) {
    closes.add(close);
    doWhatIsBehind();
  }

  /**
   * Runs the deferred operations if the lock is free; otherwise the thread that holds it runs them when it leaves. One
   * loop runs all of them, including those that they add.
   */
  private void doWhatIsBehind() {
    if (isReleasingHere()) return; // the outer loop runs them
    releaseAll();
    if (!closes.isEmpty()) closeSources();
  }

  private void closeSources() {
    Queue<ConnectionLock> outer = CLOSING.get();
    if (outer != null) {
      if (!outer.contains(this)) outer.add(this);
      return;
    }
    Queue<ConnectionLock> closing = new ArrayDeque<>(1);
    CLOSING.set(closing);
    try {
      for (ConnectionLock each = this; each != null; each = closing.poll()) each.closeAll();
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
      } // checked again: threads that added or left meanwhile relied on this thread
    }
  }

  /**
   * Runs the deferred releases before a call of this thread, which holds this lock. Otherwise threads that open
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

  /** Runs a deferred operation. A failure is logged, and no call throws it. */
  static void run(Runnable action) {
    try {
      action.run();
    } catch (Throwable t) { // including the failure of a user's source
      System.getLogger("org.arbalest.device.adbc").log(Level.ERROR, "closing a driver's object of a connection failed",
          t);
    }
  }

  /**
   * Marks the beginning of a driver's cancel call, which cancels the current call or the last result; {@link
   * #endCancel} marks its end. Requires the monitor of calls, under which the caller has checked the current call.
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

  /** Returns whether this thread runs the deferred releases. */
  boolean isReleasingHere() {
    return Thread.currentThread().equals(releasing.get());
  }

  boolean isHeldHere() {
    synchronized (calls) {
      return Thread.currentThread().equals(holder);
    }
  }

  /**
   * Returns the handle whose call a cancel affects; null if no call is affected. Requires the monitor of calls.
   *
   * <p>Without a thread, this is the given handle: if its call holds this lock and a cancel of the handle applies to
   * that call, or if no call holds the lock and the handle returned the last result. With a thread, it is the handle of
   * any call of that thread. Excluded are deferred releases that the thread runs for other threads, and handles that
   * are being released.
   *
   * @param by the thread; null for the handle's call
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
   * Records that this thread is about to wait for this lock.
   *
   * @throws IllegalStateException if {@code isRefused}, and the wait would never end: the thread that holds the lock
   *     waits, directly or through other connections, for the batches that this thread produces
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
            "this object's connection executes with batches that wait for the connection which is executing "
                + "with the batches that are produced here: "
                + "both would wait forever; finish one before the other begins");
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

  /** Records a call that may end the last result. Requires this lock, as the methods that follow. */
  void calls(AdbcFunction function, @Nullable String about, @Nullable String sql) {
    if (last != null) last.calledBetween(function, about, sql);
  }

  /** Records that another execution begins. */
  void executes() {
    last = null;
  }

  /** Records the execution's result. */
  void executed(ResultSource result) {
    last = result;
  }

  /** Returns the result of the last execution, if it has one and that is not the given one. */
  @Nullable
  ResultSource lastExcept(ResultSource result) {
    return last == result ? null : last;
  }

  /** Returns whether nothing was executed after the execution of this result. */
  boolean isLast(ResultSource result) {
    return last == result;
  }

  /** Records that autocommit was switched. Requires this lock, or that the connection is not open yet. */
  void setAutoCommit(boolean isOn) {
    isAutoCommit = isOn;
  }

  boolean isAutoCommit() {
    return isAutoCommit;
  }

  /** Returns whether this thread supplies batches to this connection, which then waits for this thread. */
  boolean isFedHere() {
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
    private final ConnectionLock fed;

    /** The callback of the same thread inside which this one runs; null if this is the outermost. */
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
