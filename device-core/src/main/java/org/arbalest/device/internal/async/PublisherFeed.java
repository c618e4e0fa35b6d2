// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async;

import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicLong;
import org.arbalest.device.async.WakingSubscription;
import org.jspecify.annotations.Nullable;

/** The arrays or tasks of a publisher. The feed owns each item from its signal on. */
final class PublisherFeed<T extends AutoCloseable> implements Feed, Flow.Subscriber<T> {
  /**
   * The limit of items that are requested and not yet polled. A publisher that answers at once must not fill the
   * memory.
   */
  private static final int WINDOW = 64;

  private final Flow.Publisher<? extends T> publisher;

  private final ShortQueue<TaskExport> queue = new ShortQueue<>();
  private @Nullable AsyncExport export;
  private volatile Flow.@Nullable Subscription subscription;
  private volatile boolean terminated;
  private volatile boolean stopped;
  private @Nullable Throwable failure;

  /** Written by the acting thread, and by the consumer's thread if {@link #ask} may request. */
  private final AtomicLong asked = new AtomicLong();

  /** Written by the acting thread. */
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
      newSubscription.cancel(); // the subscription comes after the end of the consumer
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
      to.itemFailed(t); // the item was closed before
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
   * Requests only if the window covers the whole demand. The rest of a window is requested as items are polled, and the
   * acting thread must send the items that wait here.
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
    stopped = true; // before the read: a subscription that is not visible here sees this flag
    Flow.Subscription from = subscription;
    if (from != null && !terminated) from.cancel();
  }

  @Override
  public void discard() {
    TaskExport task;
    while ((task = queue.poll()) != null) task.drop();
  }
}
