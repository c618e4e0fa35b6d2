// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.arbalest.device.internal.abi.RawArrowAsyncProducer;
import org.arbalest.device.internal.calls.Calls;
import org.jspecify.annotations.Nullable;

/**
 * A C producer as its consumer calls it: demand and cancellation, at the times when its struct certainly exists.
 *
 * <p>The struct is valid until {@code handler.release} has returned, says the specification; deployed producers free it
 * before. arrow-go's is gone once the last callback but release has returned. Arrow C++ polls its source with or
 * without demand, and frees the struct as soon as that has ended or failed and all tasks are extracted, before it
 * tells. So nothing that was requested or delivered proves that it exists; two things do: a callback that has not
 * returned, and a task that is not extracted. Hence {@link #pinned}, the one way for demand to go out, and
 * {@link #end}, which each last callback calls: it lets nobody in and waits for who is inside.
 *
 * <p>For this to starve nobody, a task of ours waits in the subscription or one is owed, always: one more is requested
 * than is wanted, first inside on_schema, and again before the last task that waits is given away.
 *
 * <p>Some requests block when many are queued (arrow-go). So there is at most one behind the one that the producer is
 * working on (ASY-23).
 */
final class ForeignProducer {
  private static final int ENDED = 1 << 30;

  private final long struct;
  private final boolean endsEarly;

  /** What is to be requested all in all, which does not decrease, and whether the producer is to be cancelled. */
  private final TaskSubscription demand;

  private final AtomicInteger flushes = new AtomicInteger();
  private final AtomicBoolean cancelled = new AtomicBoolean();

  /** Tasks that came; counted by callbacks, which are serialised. */
  private volatile long delivered;

  /** Tasks requested. Written by whoever flushes. */
  private volatile long requested;

  /** Those of all requests but the last. Guarded by {@link #flushes}. */
  private long requestedBefore;

  /** The calls under way, and ENDED. */
  private final AtomicInteger calls = new AtomicInteger();

  private volatile @Nullable Thread requesting;
  private volatile @Nullable Thread cancelling;

  ForeignProducer(long struct, boolean endsEarly, TaskSubscription demand) {
    this.struct = struct;
    this.endsEarly = endsEarly;
    this.demand = demand;
  }

  /** Counts a task; by callbacks only. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // callbacks are serialised (ASY-19)
  void deliver() {
    delivered++;
  }

  /**
   * Requests what is wanted and was not requested, or cancels if that is wanted. The caller knows that the struct
   * exists until this returns: it is inside a callback, or has a task that nobody else can extract.
   *
   * <p>A request that has to wait for others goes out in a callback: tasks are owed, then.
   */
  void pinned() {
    if (!demand.isDiscarding()) request();
    if (demand.isDiscarding()) callCancel(); // looked at again: a cancellation that came meanwhile has waited for us
  }

  private void request() {
    if (demand.wanted() <= requested) return;
    if (flushes.getAndIncrement() != 0) return; // who is at it does it again, and is pinned itself
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

  /** Tells the producer to stop, on any thread; one that ends early hears of it when it is pinned next. */
  void cancel() {
    if (!endsEarly) callCancel();
  }

  /** Once (ASY-08); what is wanted later is not requested (ASY-07). */
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

  /** No call begins from now on; waits until those under way have returned, but for one that this thread is in. */
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
