// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async;

import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicLong;
import org.arbalest.device.async.WakingSubscription;
import org.jspecify.annotations.Nullable;

/** Arrays or tasks of a publisher; each belongs to the feed as soon as it is signalled. */
final class PublisherFeed<T extends AutoCloseable> implements Feed, Flow.Subscriber<T> {
  /** The most that is asked of the publisher and not yet polled: one that answers at once must not fill the memory. */
  private static final int WINDOW = 64;

  private final Flow.Publisher<? extends T> publisher;

  private final ShortQueue<TaskExport> queue = new ShortQueue<>();
  private @Nullable AsyncExport export;
  private volatile Flow.@Nullable Subscription subscription;
  private volatile boolean terminated;
  private volatile boolean stopped;
  private @Nullable Throwable failure;

  /** By whoever acts, and where {@link #ask} can, by the consumer. */
  private final AtomicLong asked = new AtomicLong();

  /** Written by whoever acts. */
  private final AtomicLong polled = new AtomicLong();

  PublisherFeed(Flow.Publisher<? extends T> publisher) {
    this.publisher = publisher;
  }

  @Override
  public void start(AsyncExport newExport) {
    export = newExport;
    publisher.subscribe(this);
  }

  @Override
  public void onSubscribe(Flow.Subscription newSubscription) {
    Objects.requireNonNull(newSubscription, "subscription");
    if (subscription != null) {
      newSubscription.cancel(); // §2.5
      return;
    }
    subscription = newSubscription;
    if (stopped) {
      newSubscription.cancel(); // it comes after the consumer has gone
    } else {
      signal();
    }
  }

  @Override
  public void onNext(T item) {
    Objects.requireNonNull(item, "item");
    AsyncExport to = Objects.requireNonNull(export);
    TaskExport task;
    try {
      task = new TaskExport(to, item);
    } catch (Throwable t) {
      to.itemFailed(t); // it was closed before
      return;
    }
    queue.add(task);
    to.signal();
  }

  @Override
  public void onError(Throwable t) {
    failure = Objects.requireNonNull(t, "error");
    terminated = true;
    signal();
  }

  @Override
  public void onComplete() {
    terminated = true;
    signal();
  }

  private void signal() {
    AsyncExport to = export;
    if (to != null) to.signal();
  }

  @Override
  public void demand(long total) {
    Flow.Subscription from = subscription;
    if (from == null || terminated) return;
    while (true) {
      long before = asked.get();
      long target = Math.min(total, polled.get() + WINDOW);
      if (target <= before || (target != total && target - before < WINDOW / 2)) return;
      if (asked.compareAndSet(before, target)) {
        from.request(target - before);
        return;
      }
    }
  }

  /**
   * Only what can be asked for in full: the rest of a window comes with what is polled, and what waits here has to be
   * sent by who acts.
   */
  @Override
  public boolean ask(long total) {
    if (!(subscription instanceof WakingSubscription) || total - polled.get() > WINDOW || !queue.isEmpty())
      return false;
    demand(total);
    return true;
  }

  @Override
  public boolean isDry() {
    return false;
  }

  @Override
  public void pull() {}

  @Override
  public @Nullable TaskExport poll() {
    TaskExport task = queue.poll();
    if (task != null) polled.lazySet(polled.getPlain() + 1);
    return task;
  }

  @Override
  public boolean isFinished() {
    return terminated && queue.isEmpty();
  }

  @Override
  public @Nullable Throwable failure() {
    return failure;
  }

  @Override
  public void stop() {
    stopped = true; // before the look: a subscription that is not seen here sees it
    Flow.Subscription from = subscription;
    if (from != null && !terminated) from.cancel();
  }

  @Override
  public void discard() {
    TaskExport task;
    while ((task = queue.poll()) != null) task.drop();
  }
}
