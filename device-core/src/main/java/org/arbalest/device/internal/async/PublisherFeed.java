package org.arbalest.device.internal.async;

import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Flow;
import org.arbalest.device.internal.memory.Faults;
import org.jspecify.annotations.Nullable;

/** Arrays or tasks of a publisher; each belongs to the feed as soon as it is signalled. */
final class PublisherFeed<T extends AutoCloseable> implements Feed, Flow.Subscriber<T> {
  /** The most that is asked of the publisher and not yet polled: one that answers at once must not fill the memory. */
  private static final int WINDOW = 64;

  private final Flow.Publisher<? extends T> publisher;
  private final Queue<T> queue = new ConcurrentLinkedQueue<>();
  private @Nullable AsyncExport export;
  private volatile Flow.@Nullable Subscription subscription;
  private volatile boolean terminated;
  private volatile boolean stopped;
  private @Nullable Throwable failure;
  private long asked;
  private long polled;

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
    queue.add(Objects.requireNonNull(item, "item"));
    signal();
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
    long target = Math.min(total, polled + WINDOW);
    if (target > asked && (target == total || target - asked >= WINDOW / 2)) {
      long n = target - asked;
      asked = target;
      from.request(n);
    }
  }

  @Override
  public boolean isDry() {
    return false;
  }

  @Override
  public void pull() {}

  @Override
  public @Nullable T poll() {
    T item = queue.poll();
    if (item != null) polled++;
    return item;
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
    T item;
    while ((item = queue.poll()) != null) {
      try {
        item.close();
      } catch (Exception e) {
        Faults.report("closing what nobody asked for", e);
      }
    }
  }
}
