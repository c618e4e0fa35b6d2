// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async;

import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.async.AsyncTask;
import org.arbalest.device.internal.recording.Recording;
import org.jspecify.annotations.Nullable;

/** An async stream as a pull stream. It holds a limited number of tasks that were not pulled yet. */
final class AsyncSource implements DeviceArrayReader.Source<RecordBatch>, Flow.Subscriber<AsyncTask> {
  private static final Object END = new Object();

  private final int prefetch;

  /** Tasks, and after them END or a Throwable. */
  private final LinkedBlockingQueue<Object> queue = new LinkedBlockingQueue<>();

  private volatile Flow.@Nullable Subscription subscription;
  private volatile boolean closed;
  private int taken;

  AsyncSource(int prefetch) {
    this.prefetch = prefetch;
  }

  @Override
  public void onSubscribe(Flow.Subscription newSubscription) {
    if (subscription != null) {
      newSubscription.cancel(); // §2.5
      return;
    }
    subscription = newSubscription;
    if (closed) {
      newSubscription.cancel();
    } else {
      newSubscription.request(prefetch);
    }
  }

  @Override
  public void onNext(AsyncTask task) {
    queue.add(task);
    if (closed) discard();
  }

  @Override
  public void onError(Throwable t) {
    queue.add(t);
  }

  @Override
  public void onComplete() {
    queue.add(END);
  }

  @Override
  public @Nullable RecordBatch next() throws Exception {
    switch (take()) {
      case AsyncTask task -> {
        try (task) {
          replenish();
          return task.extract();
        }
      }
      case Exception e -> throw e;
      case Error e -> throw e;
      default -> {
        return null;
      }
    }
  }

  private Object take() throws InterruptedException {
    Object item = queue.poll();
    if (item != null) return item;
    Recording.OfWait event = Recording.aWait();
    try {
      return queue.take();
    } finally {
      if (event != null) event.describe("task", "");
    }
  }

  /** Requests more tasks. Called before the extraction, so that the producer makes the next task meanwhile. */
  private void replenish() {
    taken++;
    if (taken < (prefetch + 1) / 2) return;
    Flow.Subscription from = subscription;
    if (from != null) from.request(taken);
    taken = 0;
  }

  @Override
  public void cancel() {
    Flow.Subscription from = subscription;
    if (from != null) from.cancel();
    queue.add(END);
  }

  @Override
  public void close() {
    closed = true;
    Flow.Subscription from = subscription;
    if (from != null) from.cancel();
    discard();
  }

  private void discard() {
    Object item;
    while ((item = queue.poll()) != null) {
      if (item instanceof AsyncTask task) task.close();
    }
  }
}
