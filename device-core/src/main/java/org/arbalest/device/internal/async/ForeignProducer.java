// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.arbalest.device.internal.abi.RawArrowAsyncProducer;
import org.arbalest.device.internal.calls.Calls;
import org.jspecify.annotations.Nullable;

/**
 * The calls of a consumer to a native producer: demand and cancellation. They are made only when the producer's struct
 * certainly exists.
 *
 * <p>The specification says that the struct is valid until {@code handler.release} has returned. Deployed producers
 * free it earlier. arrow-go frees it after the last callback except release has returned. Arrow C++ polls its source
 * with or without demand. It frees the struct as soon as the source has ended or failed and all tasks are extracted,
 * before it notifies the handler.
 *
 * <p>Therefore no request and no delivery proves that the struct exists. Only two facts do: a callback that has not
 * returned, and a task that is not extracted. For this reason all demand goes through {@link #pinned}. Each last
 * callback calls {@link #end}, which lets no call begin and waits for the calls in progress.
 *
 * <p>To always have a chance to request more, either a task waits in the subscription or the producer owes one. One
 * more task is requested than the subscriber wants: first inside on_schema, and again before the last waiting task is
 * passed on.
 *
 * <p>Some requests block when many are queued (arrow-go). Therefore at most one request waits behind the one that the
 * producer is working on (ASY-23).
 */
final class ForeignProducer {
  private static final int ENDED = 1 << 30;

  private final long struct;
  private final boolean endsEarly;

  /**
   * Provides the total number of tasks to request, which does not decrease, and whether the producer must be cancelled.
   */
  private final TaskSubscription demand;

  private final AtomicInteger flushes = new AtomicInteger();
  private final AtomicBoolean cancelled = new AtomicBoolean();

  /** The number of delivered tasks. Callbacks count them, and callbacks are serialised. */
  private volatile long delivered;

  /** The number of requested tasks. Written by the flushing thread. */
  private volatile long requested;

  /** The number of tasks of all requests except the last. Guarded by {@link #flushes}. */
  private long requestedBefore;

  /** The number of calls in progress, and the flag ENDED. */
  private final AtomicInteger calls = new AtomicInteger();

  private volatile @Nullable Thread requesting;
  private volatile @Nullable Thread cancelling;

  ForeignProducer(long struct, boolean endsEarly, TaskSubscription demand) {
    this.struct = struct;
    this.endsEarly = endsEarly;
    this.demand = demand;
  }

  /** Counts a task. Called only by callbacks. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // callbacks are serialised (ASY-19)
  void deliver() {
    delivered++;
  }

  /**
   * Requests the demand that was not requested yet, or cancels the producer if necessary. The caller guarantees that
   * the struct exists until this returns: it is inside a callback, or has a task that no other thread can extract.
   *
   * <p>A request that must wait for others goes out in a later callback. There is one, because the producer still owes
   * tasks.
   */
  void pinned() {
    if (!demand.isDiscarding()) request();
    if (demand.isDiscarding()) callCancel(); // a second check: a cancellation that came meanwhile has waited for us
  }

  private void request() {
    if (demand.wanted() <= requested) return;
    if (flushes.getAndIncrement() != 0) return; // the flushing thread repeats it, and is pinned itself
    int missed = 1;
    do {
      long total = demand.wanted();
      if (total > requested && delivered >= requestedBefore && !demand.isDiscarding()) requestUpTo(total);
      missed = flushes.addAndGet(-missed);
    } while (missed != 0);
  }

  private void requestUpTo(long total) {
    if (!enter()) return;
    try {
      requesting = Thread.currentThread();
      long n = total - requested;
      requestedBefore = requested;
      requested = total; // first: tasks may come before the call returns
      Calls.request(RawArrowAsyncProducer.request(struct), struct, n);
    } finally {
      requesting = null;
      leave();
    }
  }

  /** Cancels the producer, on any thread. A producer that ends early is cancelled later, when it is pinned next. */
  void cancel() {
    if (!endsEarly) callCancel();
  }

  /** Cancels once (ASY-08). Later demand is not requested (ASY-07). */
  private void callCancel() {
    if (cancelled.get() || !cancelled.compareAndSet(false, true) || !enter()) return;
    try {
      cancelling = Thread.currentThread();
      Calls.release(RawArrowAsyncProducer.cancel(struct), struct);
    } finally {
      cancelling = null;
      leave();
    }
  }

  /**
   * Lets no call begin from now on. Blocks until the calls in progress have returned, except a call that this thread is
   * in.
   */
  void end() {
    calls.getAndUpdate(n -> n | ENDED);
    Thread self = Thread.currentThread();
    int own = (self.equals(requesting) ? 1 : 0) + (self.equals(cancelling) ? 1 : 0);
    if (calls.get() - ENDED > own) await(own);
  }

  private synchronized void await(int own) {
    boolean interrupted = false;
    while (calls.get() - ENDED > own) {
      try {
        wait();
      } catch (InterruptedException _) {
        interrupted = true;
      }
    }
    if (interrupted) Thread.currentThread().interrupt();
  }

  private boolean enter() {
    int before;
    do {
      before = calls.get();
      if (before >= ENDED) return false;
    } while (!calls.compareAndSet(before, before + 1));
    return true;
  }

  private void leave() {
    if (calls.decrementAndGet() < ENDED) return;
    synchronized (this) {
      notifyAll();
    }
  }
}
