// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** A limit of the bytes that several caches together keep for long. Each cache also has its own limit. */
final class CacheLimit {
  private final long most;
  private final AtomicLong kept = new AtomicLong();
  private final CopyOnWriteArrayList<BlockCache> caches = new CopyOnWriteArrayList<>();

  CacheLimit(long most) {
    this.most = most;
  }

  /** Adds a cache, which reports all changes of its kept bytes. */
  void add(BlockCache cache) {
    caches.add(cache);
  }

  /** Adds to the kept bytes, or subtracts from them if the number is negative. */
  void count(long bytes) {
    kept.addAndGet(bytes);
  }

  boolean isTooMuch() {
    return kept.get() > most;
  }

  /**
   * Makes the cache that keeps the most bytes release one block if the limit is exceeded. Returns false if it released
   * none.
   */
  boolean evictOne() {
    if (!isTooMuch()) return false;
    BlockCache fullest = null;
    long mostCached = 0;
    for (BlockCache cache : caches) {
      long cached = cache.cachedBytes();
      if (cached > mostCached) {
        fullest = cache;
        mostCached = cached;
      }
    }
    return fullest != null && fullest.evictLargest();
  }
}
