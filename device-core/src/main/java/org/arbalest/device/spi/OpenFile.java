// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

import org.arbalest.device.internal.lifetime.Counts;
import org.arbalest.device.internal.lifetime.Leaks;
import org.arbalest.device.monitoring.ResourceCounters;
import org.jspecify.annotations.Nullable;

/** An open file of a bridge, in the {@linkplain ResourceCounters#files resource counters} and in reports of leaks. */
public final class OpenFile {
  private final Leaks.@Nullable Watch watch;

  private OpenFile(Leaks.@Nullable Watch watch) {
    this.watch = watch;
  }

  /**
   * Counts a file as open. The caller calls {@link #close} once.
   *
   * @param handle the handle to the file: a leak is reported if it becomes unreachable before
   * @param what the kind and the name of the file, for the report
   */
  public static OpenFile of(Object handle, String what) {
    Leaks.Watch watch = Leaks.isDue() ? Leaks.watch(handle, what) : null;
    Counts.FILES.increment();
    if (watch != null) watch.opened();
    return new OpenFile(watch);
  }

  /** Counts the file as closed. */
  public void close(Object handle) {
    Counts.FILES.decrement();
    if (watch != null) watch.closed(handle);
  }
}
