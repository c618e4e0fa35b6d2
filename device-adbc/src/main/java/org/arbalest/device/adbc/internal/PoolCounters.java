// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.arbalest.device.adbc.AdbcPool;

/** The counters of a pool, and its measured wait for a connection. Any thread may use them. */
public final class PoolCounters {
  private final String pool;

  /** The connections that callers use. */
  public final AtomicInteger borrowed = new AtomicInteger();

  /** The connections that the pool has opened. */
  public final LongAdder created = new LongAdder();

  /** The connections that the pool has closed, also those whose release failed. */
  public final LongAdder closed = new LongAdder();

  /** The idle connections whose check failed. */
  public final LongAdder validationFailures = new LongAdder();

  private final AtomicInteger waiting = new AtomicInteger();
  private final LongAdder timeouts = new LongAdder();
  private final LongAdder waitNanos = new LongAdder();

  /**
   * Creates counters that are zero.
   *
   * @param pool the description of the pool for events
   */
  public PoolCounters(String pool) {
    this.pool = pool;
  }

  /** Acquires a permit within a time limit, and measures the wait. Threads acquire in their order. */
  public boolean acquire(Semaphore free, long limitNanos) throws InterruptedException {
    if (free.tryAcquire(0, TimeUnit.NANOSECONDS)) return true; // unlike tryAcquire(), it does not overtake
    PoolRecording.OfWait event = PoolRecording.aWait();
    waiting.incrementAndGet();
    long start = System.nanoTime();
    boolean isAcquired = false;
    try {
      isAcquired = free.tryAcquire(limitNanos, TimeUnit.NANOSECONDS);
      if (!isAcquired) timeouts.increment();
      return isAcquired;
    } finally {
      waitNanos.add(System.nanoTime() - start);
      waiting.decrementAndGet();
      if (event != null) event.describe(pool, isAcquired);
    }
  }

  /** Returns the values of this moment. */
  public AdbcPool.Statistics now(int size, int idle) {
    return new AdbcPool.Statistics(size, borrowed.get(), idle, waiting.get(), created.sum(), closed.sum(),
        validationFailures.sum(), timeouts.sum(), Duration.ofNanos(waitNanos.sum()));
  }
}
