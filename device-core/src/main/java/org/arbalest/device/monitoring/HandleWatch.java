// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.monitoring;

import com.google.errorprone.annotations.CheckReturnValue;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.arbalest.device.internal.lifetime.Leaks;

/**
 * A record of open handles and of the places that created them. It covers handles that any thread creates while the
 * watch is open: arrays, buffers, streams, events, readers, async streams and tasks. It also covers exports that native
 * code has not released. It is for tests and diagnosis, and costs some microseconds for each handle.
 *
 * <p>{@link ResourceCounters} counts the same resources and more, at no cost, but does not list them. A watch needs no
 * flag, and keeps no handle reachable. Several watches may be open at a time.
 *
 * <p>All methods may be called from any thread.
 */
@CheckReturnValue
public final class HandleWatch implements AutoCloseable {
  private final long since = Leaks.follow();
  private final AtomicBoolean closed = new AtomicBoolean();

  private HandleWatch() {}

  /** Starts a watch, which records handles from now on. The caller closes it. */
  public static HandleWatch start() {
    return new HandleWatch();
  }

  /**
   * Returns the handles that are open now, the oldest first; an empty list after this watch is closed.
   *
   * @return each handle with its present description
   */
  public List<Open> open() {
    if (closed.get()) return List.of();
    return Leaks.open(since).stream().map(watch -> new Open(watch.what(), watch.made())).toList();
  }

  /** Ends the watch, and discards its records. Closing twice does nothing. */
  @Override
  public void close() {
    if (!closed.getAndSet(true)) Leaks.unfollow();
  }

  /**
   * An open handle.
   *
   * @param what its kind, its type and its size, such as {@code DeviceArray struct<n: int32>, 1 row, on CPU, 64 bytes}
   * @param made the stack trace of the place that created it, with the thread's name in the message; always the same
   *     object
   */
  public record Open(String what, Throwable made) {
    /** Checks the arguments. */
    public Open {
      Objects.requireNonNull(what, "what");
      Objects.requireNonNull(made, "made");
    }
  }
}
