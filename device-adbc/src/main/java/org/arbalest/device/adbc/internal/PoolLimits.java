// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.arbalest.device.adbc.AdbcPoolOptions;

/**
 * The time limits of a pool in nanoseconds; {@link #NONE} is no limit.
 *
 * @param acquire the limit of a thread's wait for a connection
 * @param alive the time after a use in which a connection needs no check
 * @param idle the limit of the time without a use
 * @param lifetime the limit of the age
 * @param use the limit of one use, after which it is reported
 */
record PoolLimits(long acquire, long alive, long idle, long lifetime, long use) {
  static final long NONE = Long.MAX_VALUE;

  private static final long ONE_SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long LONGEST_CHECK = TimeUnit.SECONDS.toNanos(5);
  private static final long SHORTEST_INTERVAL = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long LONGEST_INTERVAL = TimeUnit.SECONDS.toNanos(30);

  /** The part of a lifetime by which that of a connection is shorter, at most. */
  private static final double LONGEST_CUT = 0.1;

  private static final double GOLDEN_RATIO = 0.6180339887;

  static PoolLimits of(AdbcPoolOptions options) {
    return new PoolLimits(nanos(options.connectionTimeout()), nanos(options.aliveBypassWindow()),
        nanosOrNone(options.idleTimeout()), nanosOrNone(options.maxLifetime()),
        nanosOrNone(options.leakDetectionThreshold()));
  }

  private static long nanos(Duration time) {
    return TimeUnit.NANOSECONDS.convert(time);
  }

  private static long nanosOrNone(Duration time) {
    return time.isZero() ? NONE : nanos(time);
  }

  /** Returns the limit of a thread's wait that includes checks and its first attempt to connect. */
  long atLeastOneSecond() {
    return Math.max(acquire, ONE_SECOND);
  }

  /** Returns the limit of one check, so that a connection which does not answer leaves time to connect. */
  long check() {
    return Math.min(atLeastOneSecond() / 4, LONGEST_CHECK);
  }

  /** Returns whether the pool reports long uses. */
  boolean hasUse() {
    return use != NONE;
  }

  /** Returns the time between two runs of the upkeep; {@link #NONE} if no limit needs it. */
  long interval() {
    long shortest = Math.min(Math.min(idle, lifetime), use);
    return shortest == NONE ? NONE : Math.clamp(shortest / 2, SHORTEST_INTERVAL, LONGEST_INTERVAL);
  }

  /**
   * Returns the maximum age of a connection. Those of connections in a row differ as far as possible.
   *
   * @param number the number of connections that were opened before
   */
  long lifetime(long number) {
    if (lifetime == NONE) return NONE;
    return lifetime - (long) (lifetime * LONGEST_CUT * (number * GOLDEN_RATIO % 1));
  }
}
