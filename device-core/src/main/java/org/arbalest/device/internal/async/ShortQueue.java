// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A queue in which one element waits at most, mostly: that one needs no node. One thread at a time adds; what is added
 * by several is not lost, but out of order. Any thread may poll, and in order if one does at a time.
 */
final class ShortQueue<T> {
  /** The oldest, unless it was polled: then all are behind it. Set only while nothing is behind it. */
  private final AtomicReference<@Nullable T> first = new AtomicReference<>();

  private final Queue<T> behind = new ConcurrentLinkedQueue<>();

  void add(T element) {
    if (!behind.isEmpty() || !first.compareAndSet(null, element)) behind.add(element);
  }

  @Nullable
  T poll() {
    while (true) {
      boolean hasMore = !behind.isEmpty(); // before the look at the first, which came before those
      T element = first.get();
      if (element == null) {
        if (!hasMore) return null;
        element = behind.poll();
        if (element != null) return element;
      } else if (first.compareAndSet(element, null)) {
        return element;
      }
    }
  }

  /** How many there are, about; takes a look at each. */
  long size() {
    return (first.get() == null ? 0L : 1L) + behind.size();
  }

  boolean isEmpty() {
    return first.get() == null && behind.isEmpty();
  }
}
