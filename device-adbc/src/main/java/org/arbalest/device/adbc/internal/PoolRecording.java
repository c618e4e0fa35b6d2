// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import org.arbalest.device.adbc.AdbcPool;
import org.jspecify.annotations.Nullable;

/**
 * The events of pools while a recording runs. This class does not refer to Flight Recorder, which a runtime image may
 * lack. {@link PoolEvents} refers to it, and is loaded only if Flight Recorder is available.
 */
public final class PoolRecording {
  private static final boolean IS_THERE = isThere();

  /** The open pools, of which those that are never closed can still be collected. */
  private static final Map<AdbcPool, Boolean> OPEN = Collections.synchronizedMap(new WeakHashMap<>());

  static {
    if (IS_THERE) PoolEvents.ofPools(PoolRecording::open);
  }

  private PoolRecording() {}

  /** A wait for a connection. */
  interface OfWait {
    /** Ends the wait, and describes the pool and the outcome. */
    void describe(String pool, boolean isAcquired);
  }

  private static boolean isThere() {
    try {
      return PoolRecording.class.getModule().canRead(Class.forName("jdk.jfr.Event").getModule());
    } catch (ClassNotFoundException | LinkageError _) {
      return false;
    }
  }

  private static List<AdbcPool> open() {
    synchronized (OPEN) {
      return List.copyOf(OPEN.keySet());
    }
  }

  /** Adds a pool to the periodic event. */
  public static void opened(AdbcPool pool) {
    if (IS_THERE) OPEN.put(pool, true);
  }

  /** Removes a pool from the periodic event. */
  public static void closed(AdbcPool pool) {
    OPEN.remove(pool);
  }

  /** Begins a wait; null if no recording runs. */
  static @Nullable OfWait aWait() {
    return IS_THERE ? PoolEvents.aWait() : null;
  }
}
