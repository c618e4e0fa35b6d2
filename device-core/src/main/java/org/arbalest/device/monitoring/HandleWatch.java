// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.monitoring;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.internal.lifetime.Leaks;

/**
 * Knows what is open, and where it was made, of that which any thread makes while this is open itself: arrays, buffers,
 * streams, events, readers, async streams, tasks, and exports that C has not released. For tests and for diagnosis: it
 * takes some microseconds for each.
 *
 * <p>{@link ResourceCounters} counts the same things, and more, at no cost, but does not know them. This needs no flag,
 * and holds none of what it knows. Several may be open at a time. Safe on any thread.
 */
public final class HandleWatch implements AutoCloseable {
  private final long since = Leaks.follow();
  private final AtomicBoolean closed = new AtomicBoolean();

  private HandleWatch() {}

  /** Knows what is made from now on. Closed by its caller. */
  public static HandleWatch start() {
    return new HandleWatch();
  }

  /**
   * What is open now, the oldest first; empty once this is closed.
   *
   * @return each of them as it is at this moment
   */
  public List<Open> open() {
    if (closed.get()) return List.of();
    return Leaks.open(since).stream().map(watch -> new Open(watch.what(), watch.made())).toList();
  }

  /** Knows nothing any more. */
  @Override
  public void close() {
    if (!closed.getAndSet(true)) Leaks.unfollow();
  }

  /**
   * Something that is open.
   *
   * @param what its kind, its type and its size, such as {@code DeviceArray struct<n: int32>, 1 row, on CPU, 64 bytes}
   * @param made a stack trace of the place that made it, whose message names the thread; the same object each time
   */
  public record Open(String what, Throwable made) {
    public Open {
      Objects.requireNonNull(what, "what");
      Objects.requireNonNull(made, "made");
    }
  }
}
