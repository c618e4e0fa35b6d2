// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Runs the steps of a stream on one thread at a time, the acting thread. It is the executor's thread, or a thread that
 * signals and is not the consumer's. It is never a thread that is inside {@code request} or {@code cancel} (ASY-04).
 *
 * <p>While the acting thread waits for a source, another thread can take its place to end the stream. Therefore neither
 * an error nor a release waits for a source that delivers nothing.
 */
abstract sealed class SerialExecutor implements Runnable permits AsyncExport {
  /** Runs work that an executor rejects, or that it would run inside {@code request}. */
  private static final Executor FALLBACK = new CompletableFuture<>().defaultExecutor();

  private final Executor executor;

  /** The number of signals that are not handled yet. It is above 0 while a thread acts. */
  private final AtomicInteger signals = new AtomicInteger();

  /** Whether the acting thread waits for a source. The thread that changes this to false acts from then on. */
  private final AtomicBoolean waiting = new AtomicBoolean();

  /** The thread that passes this object to the executor now. */
  private final AtomicReference<@Nullable Thread> scheduling = new AtomicReference<>();

  /**
   * The thread that is inside {@code request} and requests more from the source. Another thread handles the signals
   * that it causes.
   */
  private final AtomicReference<@Nullable Thread> asking = new AtomicReference<>();

  SerialExecutor(Executor executor) {
    this.executor = executor;
  }

  /** Does all pending work. Returns false if another thread has taken over meanwhile. */
  abstract boolean step();

  /** Requests more from the source if this thread may do so. Returns false if the acting thread must do it. */
  abstract boolean ask();

  /** Waits for the source. */
  abstract void pull();

  /** Notes that a {@link #step} threw. The stream ends. */
  abstract void stepFailed(Throwable t);

  /** Notes that the executor threw. The stream ends. */
  abstract void executorFailed(Throwable t);

  /** Returns whether the stream must end, independent of the source. */
  abstract boolean isInterrupted();

  /** Notes a change and handles it on this thread, unless another thread acts. */
  final void signal() {
    if (signals.getAndIncrement() != 0) return;
    if (Thread.currentThread().equals(asking.get())) {
      handOver(); // a source that signals instead of only waking, or that continues in the thread that wakes it
    } else {
      act(1);
    }
  }

  /** Requests more from the source on the consumer's thread. Returns false if the acting thread must do it. */
  final boolean tryAsk() {
    if (!asking.compareAndSet(null, Thread.currentThread())) return false; // another thread of the consumer is here
    try {
      return ask();
    } finally {
      asking.set(null);
    }
  }

  /** Notes a change. The calling thread is the consumer's. */
  final void schedule() {
    if (signals.getAndIncrement() != 0) {
      // On a separate thread, because the wait may occupy an executor's only thread, even the only one of the common
      // pool.
      if (isInterrupted() && waiting.get())
        Thread.ofPlatform().name("arbalest-async-end").daemon().start(this::takeOver);
      return;
    }
    handOver();
  }

  private void handOver() {
    scheduling.set(Thread.currentThread());
    try {
      executor.execute(this);
    } catch (Throwable t) {
      executorFailed(t);
      FALLBACK.execute(this);
    } finally {
      scheduling.compareAndSet(Thread.currentThread(), null);
    }
  }

  /** Runs on the executor's thread. */
  @Override
  public final void run() {
    if (Thread.currentThread().equals(scheduling.get())) {
      FALLBACK.execute(this);
    } else {
      act(signals.get());
    }
  }

  /** Acts instead of the thread that waits for a source, because the stream must end. */
  private void takeOver() {
    if (waiting.compareAndSet(true, false)) act(signals.get());
  }

  private void act(int some) {
    int missed = some;
    while (missed != 0) {
      try {
        if (!step()) return;
      } catch (Throwable t) {
        stepFailed(t);
      }
      missed = signals.addAndGet(-missed);
    }
  }

  /** Runs {@link #pull} in a {@link #step}. Returns false if another thread has taken over meanwhile. */
  final boolean awaitSource() {
    waiting.set(true);
    if (!isInterrupted()) pull(); // a second check: a later interruption sees the flag
    return waiting.compareAndSet(true, false);
  }
}
