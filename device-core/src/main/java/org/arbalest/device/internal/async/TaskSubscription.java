// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async;

import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.arbalest.device.async.AsyncTask;
import org.arbalest.device.internal.memory.Faults;
import org.jspecify.annotations.Nullable;

/**
 * The subscriber's side of an {@link AsyncHandler}: its demand, the tasks that wait for it, and the end.
 *
 * <p>Tasks come from callbacks, one at a time; the subscriber's calls from anywhere. Signals are given by whoever finds
 * nobody giving them, so that they are serialised. The producer is asked for one task more than the subscriber asks
 * for, as some send the end only on demand (ASY-13); that task waits in the queue, or is owed. Until it is extracted it
 * keeps the producer's struct: what is wanted is requested before (ASY-29).
 */
final class TaskSubscription implements Flow.Subscription {
  private final AsyncHandler handler;
  private final AtomicBoolean subscribed = new AtomicBoolean();
  private volatile Flow.@Nullable Subscriber<? super AsyncTask> subscriber;
  private final AtomicLong demanded = new AtomicLong();
  private final ShortQueue<ImportedTask> queue = new ShortQueue<>();

  /** Whether tasks are discarded: the subscriber cancelled, or the stream was closed. */
  private volatile boolean discarding;

  /** Whether the subscriber hears nothing any more. */
  private volatile boolean muted;

  /** What the subscriber is to hear at the end, once it has all tasks. */
  private final AtomicReference<@Nullable End> end = new AtomicReference<>();

  private record End(@Nullable Throwable error) {}

  /** Who wants something signalled; above 0 while somebody signals, who guards the next three. */
  private final AtomicInteger signals = new AtomicInteger();

  private long emitted;
  private boolean introduced;
  private boolean finished;

  TaskSubscription(AsyncHandler handler) {
    this.handler = handler;
  }

  // ---- what the handler calls ----

  /** A task has come; by callbacks only. */
  void give(ImportedTask task) {
    if (!signals.compareAndSet(0, 1)) {
      queue.add(task);
      if (discarding) discardQueue(); // as discard does
      signal();
      return;
    }
    Flow.Subscriber<? super AsyncTask> to = subscriber;
    if (to != null && introduced && !discarding && emitted < demanded.get() && queue.isEmpty()) {
      emit(to, task);
    } else {
      queue.add(task);
      signalOnce();
    }
    if (signals.decrementAndGet() != 0) signalUntilQuiet(signals.get());
  }

  /** The subscriber is to hear of the end, once it has all tasks; of the first end that is told. */
  void end(@Nullable Throwable why) {
    end.compareAndSet(null, new End(why));
    signal();
  }

  /** Whether nobody wants tasks any more. */
  boolean isDiscarding() {
    return discarding;
  }

  // ---- what the subscriber calls ----

  void subscribe(Flow.Subscriber<? super AsyncTask> newSubscriber) {
    if (!subscribed.compareAndSet(false, true)) {
      newSubscriber.onSubscribe(Nobody.INSTANCE);
      newSubscriber.onError(new IllegalStateException("an async stream has one subscriber, and has it"));
      return;
    }
    subscriber = newSubscriber;
    signal();
  }

  @Override
  public void request(long n) {
    if (n <= 0) {
      abandon(new IllegalArgumentException("§3.9: a subscriber requests at least 1, not " + n));
      return;
    }
    demanded.accumulateAndGet(n, TaskSubscription::addSaturating);
    signal();
  }

  @Override
  public void cancel() {
    muted = true;
    discard();
  }

  /**
   * Closes the stream: the subscriber, if there is one, is told why, and the producer is cancelled as soon as it can
   * be.
   */
  void abandon(Throwable why) {
    End told = new End(why);
    // also in place of a normal end: its tasks are discarded now
    end.updateAndGet(end -> end == null || end.error == null ? told : end);
    discard();
    handler.schema.completeExceptionally(why);
  }

  private void discard() {
    discarding = true;
    handler.cancel();
    discardQueue(); // here, since who signals may be in an onNext that blocks
    signal();
  }

  private void discardQueue() {
    for (ImportedTask task = queue.poll(); task != null; task = queue.poll()) {
      handler.pinned();
      discardTask(task);
    }
  }

  static long addSaturating(long a, long b) {
    long sum = a + b;
    return sum < 0 ? Long.MAX_VALUE : sum;
  }

  /** How many tasks wait for the subscriber; for a recording. */
  long queued() {
    return queue.size();
  }

  /** How many it has asked for and not got; for a recording, which may see an older number of those that came. */
  long missing() {
    return Math.max(0, demanded.get() - emitted);
  }

  /** What the producer is to be asked for all in all. */
  long wanted() {
    return addSaturating(demanded.get(), 1);
  }

  // ---- signals ----

  private void signal() {
    if (signals.getAndIncrement() == 0) signalUntilQuiet(1);
  }

  private void signalUntilQuiet(int some) {
    int missed = some;
    while (missed != 0) {
      signalOnce();
      missed = signals.addAndGet(-missed);
    }
  }

  private void signalOnce() {
    Flow.Subscriber<? super AsyncTask> to = subscriber;
    if (to != null && !introduced) {
      introduced = true;
      introduce(to);
    }
    boolean atEnd = end.get() != null; // before the queue: what comes first is signalled first
    while (discarding || emitted < demanded.get()) {
      ImportedTask task = queue.poll();
      if (task == null) break;
      handler.pinned(); // by this task, which nobody else has
      if (discarding || to == null) {
        discardTask(task);
      } else {
        emit(to, task);
      }
    }
    if (to == null) return;
    if (muted) {
      subscriber = null; // §3.13
    } else if (atEnd && !finished && queue.isEmpty()) {
      finished = true;
      subscriber = null;
      complete(to);
    }
  }

  private void introduce(Flow.Subscriber<? super AsyncTask> to) {
    try {
      to.onSubscribe(this);
    } catch (Throwable t) {
      threw("onSubscribe", t);
    }
  }

  private void emit(Flow.Subscriber<? super AsyncTask> to, ImportedTask task) {
    emitted++;
    try {
      to.onNext(task);
    } catch (Throwable t) {
      discardTask(task);
      threw("onNext", t);
    }
  }

  private void complete(Flow.Subscriber<? super AsyncTask> to) {
    End told = end.get();
    Throwable why = told == null ? null : told.error;
    try {
      if (why == null) {
        to.onComplete();
      } else {
        to.onError(why);
      }
    } catch (Throwable t) {
      Faults.report("a subscriber's onComplete or onError", t);
    }
  }

  /** A subscriber that throws has cancelled (§2.13). */
  private void threw(String what, Throwable t) {
    Faults.report("a subscriber's " + what, t);
    cancel();
  }

  private static void discardTask(ImportedTask task) {
    try {
      task.close();
    } catch (Throwable t) {
      Faults.report("discarding a task", t);
    }
  }

  private enum Nobody implements Flow.Subscription {
    INSTANCE;

    @Override
    public void request(long n) {}

    @Override
    public void cancel() {}
  }
}
