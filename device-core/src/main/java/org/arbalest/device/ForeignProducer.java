package org.arbalest.device;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.arbalest.device.abi.ArrowAsyncProducerStruct;
import org.jspecify.annotations.Nullable;

/**
 * A C producer as its consumer calls it: demand and cancellation, at the times when its struct certainly exists.
 *
 * <p>The struct is valid until {@code handler.release} has returned, says the specification; deployed producers free it before, arrow-go once
 * the last callback but release has returned, Arrow C++ also as soon as all tasks are extracted and no more will come. Hence {@link #end}, which
 * each last callback calls, lets nobody in and waits for who is inside; and demand goes out only inside a callback, with a task in hand that is
 * not extracted, or while the producer is owed nothing, when it cannot have come to its end.
 *
 * <p>Some requests block when many are queued (arrow-go). So there is at most one behind the one that the producer is working on (ASY-23).
 */
final class ForeignProducer {
  private static final int ENDED = 1 << 30;

  private final long struct;
  private final boolean endsEarly;

  /** What is to be requested all in all; does not decrease. */
  private final LongSupplier wanted;

  private final AtomicInteger flushes = new AtomicInteger();
  private final AtomicBoolean cancelled = new AtomicBoolean();
  private volatile boolean cancelWanted;

  /** Tasks that came; counted by callbacks, which are serialised. */
  private volatile long delivered;

  /** Tasks requested. Written by whoever flushes. */
  private volatile long requested;

  private long requestedBefore;

  /** The calls under way, and ENDED. */
  private final AtomicInteger calls = new AtomicInteger();

  private volatile @Nullable Thread requesting;
  private volatile @Nullable Thread cancelling;

  ForeignProducer(long struct, boolean endsEarly, LongSupplier wanted) {
    this.struct = struct;
    this.endsEarly = endsEarly;
    this.wanted = wanted;
  }

  /** Counts a task; by callbacks only. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // callbacks are serialised (ASY-19)
  void deliver() {
    delivered++;
  }

  /**
   * Requests what is wanted and was not requested, unless that has to wait for the next task or extraction.
   *
   * @param pinned whether the caller knows that the struct exists: it is inside a callback, or has a task that is not extracted
   */
  void request(boolean pinned) {
    if (wanted.getAsLong() <= requested || cancelWanted) return;
    if (flushes.getAndIncrement() != 0) return;
    int missed = 1;
    do {
      long total = wanted.getAsLong();
      boolean isOwedNothing = delivered >= requested;
      if (total > requested && (isOwedNothing || (pinned && delivered >= requestedBefore)) && !cancelWanted) requestUpTo(total);
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
      Calls.request(ArrowAsyncProducerStruct.request(struct), struct, n);
    } finally {
      requesting = null;
      leave();
    }
  }

  /** Tells the producer to stop, once; later demand is dropped (ASY-07, ASY-08). */
  void cancel(boolean pinned) {
    cancelWanted = true;
    if (endsEarly && !pinned && delivered < requested) return;
    if (!cancelled.compareAndSet(false, true)) return;
    if (!enter()) return;
    try {
      cancelling = Thread.currentThread();
      Calls.release(ArrowAsyncProducerStruct.cancel(struct), struct);
    } finally {
      cancelling = null;
      leave();
    }
  }

  /** A callback is running, or a task is in hand: what had to wait goes out. */
  void pinned() {
    if (cancelWanted) {
      if (!cancelled.get()) cancel(true);
    } else {
      request(true);
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
