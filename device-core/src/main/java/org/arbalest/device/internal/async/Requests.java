// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.arbalest.device.DeviceException;
import org.jspecify.annotations.Nullable;

/**
 * What has been asked of a stream that we produce, from any thread: so many tasks, that it stops, or that it fails.
 * Whoever acts looks at it.
 */
final class Requests {
  private final AtomicLong demanded = new AtomicLong();
  private volatile boolean cancelled;

  /** What makes the stream fail, but for the feed's failure: the first one counts. */
  private final AtomicReference<@Nullable Throwable> fault = new AtomicReference<>();

  void request(long n) {
    if (n <= 0) {
      fail(DeviceException.invalid("request(" + n + "): a consumer requests at least 1")); // ASY-05
    } else {
      demanded.accumulateAndGet(n, TaskSubscription::addSaturating); // ASY-06
    }
  }

  void cancel() {
    cancelled = true;
  }

  void fail(Throwable why) {
    fault.compareAndSet(null, why);
  }

  /** How many tasks the consumer has asked for all in all. */
  long demanded() {
    return demanded.get();
  }

  boolean isCancelled() {
    return cancelled;
  }

  @Nullable
  Throwable fault() {
    return fault.get();
  }
}
