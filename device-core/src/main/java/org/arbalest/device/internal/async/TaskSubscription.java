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
 * The subscriber's side of an {@link AsyncHandler}: the demand, the tasks that wait for the subscriber, and the end.
 *
 * <p>Callbacks deliver tasks, one at a time. The subscriber calls from any thread. A thread that finds no other thread
 * signalling gives the signals, so that they are serialised.
 *
 * <p>One task more than the subscriber's demand is requested from the producer, because some producers send the end
 * only on demand (ASY-13). That task waits in the queue, or the producer owes it. Until it is extracted, it keeps the
 * producer's struct alive. Therefore the demand is requested before its extraction (ASY-29).
 */
final class TaskSubscription implements Flow.Subscription {
  private final AsyncHandler handler;
  private final AtomicBoolean subscribed = new AtomicBoolean();
  private volatile Flow.@Nullable Subscriber<? super AsyncTask> subscriber;
  private final AtomicLong demanded = new AtomicLong();
  private final ShortQueue<ImportedTask> queue = new ShortQueue<>();

  /** Whether tasks are discarded, because the subscriber cancelled or the stream was closed. */
  private volatile boolean discarding;

  /** Whether the subscriber receives no more signals. */
  private volatile boolean muted;

  /** The end that the subscriber receives after all tasks. */
  private final AtomicReference<@Nullable End> end = new AtomicReference<>();

  private record End(@Nullable Throwable error) {}

  /**
   * The number of signals that are not handled yet. It is above 0 while a thread signals. That thread guards the next
   * three fields.
   */
  private final AtomicInteger signals = new AtomicInteger();

  private long emitted;
  private boolean introduced;
  private boolean finished;

  TaskSubscription(AsyncHandler handler) {
    this.handler = handler;
  }

  // ---- called by the handler ----

  /** Takes a task. Called only by callbacks. */
  void give(ImportedTask task) {
    if (!signals.compareAndSet(0, 1)) {
      queue.add(task);
      if (discarding) discardQueue(); // as in discard
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

  /** Sets the end, which the subscriber receives after all tasks. Only the first end counts. */
  void end(@Nullable Throwable why) {
    end.compareAndSet(null, new End(why));
    signal();
  }

  /** Returns whether no more tasks are needed. */
  boolean isDiscarding() {
    return discarding;
  }

  // ---- called by the subscriber ----

  void subscribe(Flow.Subscriber<? super AsyncTask> newSubscriber) {
    if (!subscribed.compareAndSet(false, true)) {
      newSubscriber.onSubscribe(Nobody.INSTANCE);
      newSubscriber.onError(new IllegalStateException("an async stream accepts only one subscriber"));
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

  /** Closes the stream. A subscriber receives the reason, and the producer is cancelled as soon as possible. */
  void abandon(Throwable why) {
    End told = new End(why);
    // also in place of a normal end, because the stream's tasks are discarded now
    end.updateAndGet(end -> end == null || end.error == null ? told : end);
    discard();
    handler.schema.completeExceptionally(why);
  }

  private void discard() {
    discarding = true;
    handler.cancel();
    discardQueue(); // on this thread, since the signalling thread may be blocked in onNext
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

  /** Returns the number of tasks that wait for the subscriber; for a recording. */
  long queued() {
    return queue.size();
  }

  /**
   * Returns the number of tasks that were requested and not delivered; for a recording. It may see an older number of
   * delivered tasks.
   */
  long missing() {
    return Math.max(0, demanded.get() - emitted);
  }

  /** Returns the total number of tasks to request from the producer. */
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
    boolean atEnd = end.get() != null; // before the queue, so that tasks that came earlier are signalled earlier
    while (discarding || emitted < demanded.get()) {
      ImportedTask task = queue.poll();
      if (task == null) break;
      handler.pinned(); // pinned by this task, which no other thread has
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

  /** Notes that a subscriber threw, which cancels the subscription (§2.13). */
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
