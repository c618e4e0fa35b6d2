// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The lock of one connection or of one database: one thread at a time calls the driver. */
final class ConnectionLock {
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

  /** The releases and closes that wait until this lock is free. */
  final DeferredReleases deferred = new DeferredReleases(this::isFree);

  /** The threads that supply bound batches to the connection. */
  final Feeders feeders = new Feeders();

  /** See {@link KnownDriver#of}; null before its first call. */
  volatile @Nullable KnownDriver known;

  /** Whether the driver does not report the state of its transaction; see {@link DriverTransaction}. */
  volatile boolean hasNoTransactionStatus;

  /** The open statements and results of a lease. */
  final LeasedObjects leased = new LeasedObjects();

  /** The calls that matter for the connection's results. Guarded by this lock. */
  final CallRecord record = new CallRecord();

  /**
   * Takes this lock for an operation that must neither fail nor wait. If the lock is not free, or this thread supplies
   * batches to the connection, the operation is deferred until after the current call.
   *
   * @param release the deferred operation
   * @return whether the lock was taken
   */
  boolean takeOr(NativeHandle by, Runnable release) {
    if (current != null && feeders.includeThisThread()) {
      // This is usually inside a driver call. A driver's own thread may also pull when no call runs.
      deferred.add(release);
      if (current != null || !deferred.remove(release)) return false;
    }
    feeders.need(false);
    synchronized (calls) {
      if (tryTake(by, true)) return true;
      deferred.add(release);
    }
    feeders.needsNoMore();
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
    feeders.needsNoMore();
    if (isLast) deferred.runAll();
  }

  private boolean isFree() {
    return current == null && cancels == 0;
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
    deferred.runAll();
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
    if (by != null) return of != null && of.isHeld() && by.equals(holder) && !deferred.areRunBy(by) ? of : null;
    boolean isIts = of == null ? record.isLastOf(handle) : of == handle && isOfHandle;
    return isIts ? handle : null;
  }
}
