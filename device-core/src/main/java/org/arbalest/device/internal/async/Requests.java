// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.arbalest.device.DeviceException;
import org.jspecify.annotations.Nullable;

/**
 * The requests to a stream that the library produces, from any thread: a number of tasks, a cancellation or a failure.
 * The acting thread reads them.
 */
final class Requests {
  private final AtomicLong demanded = new AtomicLong();
  private volatile boolean cancelled;

  /** The first failure of the stream. The feed keeps its own failure. */
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

  /** Returns the total number of tasks that the consumer has requested. */
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
