// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import org.arbalest.device.adbc.AdbcPool;
import org.jspecify.annotations.Nullable;

/** The counters of a pool. Any thread may use them. */
final class PoolCounters {
  /** The connections that the pool has opened. */
  final LongAdder created = new LongAdder();

  /** The connections that the pool has closed, also those whose release failed. */
  final LongAdder closed = new LongAdder();

  /** The attempts to connect that failed. */
  final LongAdder connectFailures = new LongAdder();

  /** The idle connections whose check failed. */
  final LongAdder validationFailures = new LongAdder();

  /** The uses of idle connections without a check. */
  final LongAdder bypassedChecks = new LongAdder();

  /** The connections that the pool has closed because of their age. */
  final LongAdder expired = new LongAdder();

  /** The connections that the pool has closed because they were idle. */
  final LongAdder idleTimeouts = new LongAdder();

  /** The uses that took longer than the threshold. */
  final LongAdder leaks = new LongAdder();

  /** The calls that ended at the time limit. */
  final LongAdder timeouts = new LongAdder();

  private final LongAdder waitNanos = new LongAdder();

  /** A thread's wait for a connection, which is measured. */
  final class Wait {
    private final PoolRecording.@Nullable OfWait event = PoolRecording.aWait();
    private final PoolTime time;
    private final long start;

    private Wait(PoolTime time) {
      this.time = time;
      this.start = time.nanoTime();
    }

    void end(Object pool, boolean isAcquired) {
      waitNanos.add(time.nanoTime() - start);
      if (event != null) event.describe(pool.toString(), isAcquired);
    }
  }

  Wait startWait(PoolTime time) {
    return new Wait(time);
  }

  /** Returns the values of this moment. */
  AdbcPool.Statistics now(int size, int borrowed, int idle, int waiting) {
    return new AdbcPool.Statistics(size, borrowed, idle, waiting, created.sum(), closed.sum(),
        validationFailures.sum(), timeouts.sum(), Duration.ofNanos(waitNanos.sum()), connectFailures.sum(),
        bypassedChecks.sum(), expired.sum(), idleTimeouts.sum(), leaks.sum());
  }
}
