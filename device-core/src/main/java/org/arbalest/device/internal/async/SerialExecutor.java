// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Who acts for a stream, and when: one thread at a time. It is the executor's, or one that signals and is not the
 * consumer's, and never one that is inside {@code request} or {@code cancel} (ASY-04). While it waits for a source,
 * another can take its place, to end the stream: neither an error nor a release waits for a source from which nothing
 * comes.
 */
abstract sealed class SerialExecutor implements Runnable permits AsyncExport {
  /** For what an executor refuses, or would run inside {@code request}. */
  private static final Executor FALLBACK = new CompletableFuture<>().defaultExecutor();

  private final Executor executor;

  /** Who wants something done; above 0 while somebody does it. */
  private final AtomicInteger signals = new AtomicInteger();

  /** Whether the thread that acts is waiting for a source; whoever makes this false acts from then on. */
  private final AtomicBoolean waiting = new AtomicBoolean();

  /** Who is handing this to the executor. */
  private final AtomicReference<@Nullable Thread> scheduling = new AtomicReference<>();

  /** Who is inside {@code request} and asks the source for more: what that signals is done elsewhere, too. */
  private final AtomicReference<@Nullable Thread> asking = new AtomicReference<>();

  SerialExecutor(Executor executor) {
    this.executor = executor;
  }

  /** Does all that is to be done; false if another thread has taken over meanwhile. */
  abstract boolean step();

  /** Asks the source for more, if that may be done here; false if who acts has to. */
  abstract boolean ask();

  /** Waits for the source. */
  abstract void pull();

  /** A {@link #step} threw; the stream is to end. */
  abstract void stepFailed(Throwable t);

  /** The executor threw; the stream is to end. */
  abstract void executorFailed(Throwable t);

  /** Whether the stream is to end, whatever the source does. */
  abstract boolean isInterrupted();

  /** Something changed: sees to it on this thread, unless another is at it. */
  final void signal() {
    if (signals.getAndIncrement() != 0) return;
    if (Thread.currentThread().equals(asking.get())) {
      handOver(); // a source that signals though it is only to wake, or one that goes on in the thread that wakes it
    } else {
      act(1);
    }
  }

  /** Asks the source for more, on the consumer's thread; false if that is left to who acts. */
  final boolean tryAsk() {
    if (!asking.compareAndSet(null, Thread.currentThread())) return false; // another thread of the consumer's is at it
    try {
      return ask();
    } finally {
      asking.set(null);
    }
  }

  /** Something changed, and this thread is the consumer's. */
  final void schedule() {
    if (signals.getAndIncrement() != 0) {
      // On a thread of its own: the wait may have the only one of an executor, also of the common pool.
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

  /** For the executor. */
  @Override
  public final void run() {
    if (Thread.currentThread().equals(scheduling.get())) {
      FALLBACK.execute(this);
    } else {
      act(signals.get());
    }
  }

  /** The thread that acts waits for a source, and the stream is to end: this thread acts instead. */
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

  /** {@link #pull} in a {@link #step}; false if another thread has taken over meanwhile. */
  final boolean awaitSource() {
    waiting.set(true);
    if (!isInterrupted()) pull(); // looked at again: whoever interrupts from now on sees that we wait
    return waiting.compareAndSet(true, false);
  }
}
