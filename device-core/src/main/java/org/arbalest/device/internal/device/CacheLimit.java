// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** How much several caches may keep together for long, besides each one's own bound. */
final class CacheLimit {
  private final long most;
  private final AtomicLong kept = new AtomicLong();
  private final CopyOnWriteArrayList<BlockCache> caches = new CopyOnWriteArrayList<>();

  CacheLimit(long most) {
    this.most = most;
  }

  /** One more cache, which tells of all that it keeps. */
  void add(BlockCache cache) {
    caches.add(cache);
  }

  /** So much more is kept, or less. */
  void count(long bytes) {
    kept.addAndGet(bytes);
  }

  boolean isTooMuch() {
    return kept.get() > most;
  }

  /** Has the cache that keeps most give one block back if it is too much: false if not. */
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
