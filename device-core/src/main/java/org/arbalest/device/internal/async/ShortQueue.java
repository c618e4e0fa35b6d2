// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A queue that usually contains at most one element, and needs no node for it.
 *
 * <p>One thread at a time should add. Elements that several threads add at the same time are not lost, but may be out
 * of order. Any thread may poll. The order is kept if one thread polls at a time.
 */
final class ShortQueue<T> {
  /**
   * The oldest element. If it was polled, all other elements are in {@code behind}. It is set only while {@code behind}
   * is empty.
   */
  private final AtomicReference<@Nullable T> first = new AtomicReference<>();

  private final Queue<T> behind = new ConcurrentLinkedQueue<>();

  void add(T element) {
    if (!behind.isEmpty() || !first.compareAndSet(null, element)) behind.add(element);
  }

  /** Takes the oldest element. Returns null only if the queue was empty at some moment of this call. */
  @Nullable
  T poll() {
    while (true) {
      boolean hasMore = !behind.isEmpty(); // before the read of the first, which is older than those
      T element = first.get();
      if (element != null) {
        if (first.compareAndSet(element, null)) return element;
      } else if (hasMore) {
        element = behind.poll();
        if (element != null) return element;
      } else if (behind.isEmpty()) { // otherwise an element came, and then another thread polled the first
        return null;
      }
    }
  }

  /** Returns the approximate number of elements. Visits each element. */
  long size() {
    return (first.get() == null ? 0L : 1L) + behind.size();
  }

  boolean isEmpty() {
    return first.get() == null && behind.isEmpty();
  }
}
