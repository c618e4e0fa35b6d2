// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import org.jspecify.annotations.Nullable;

/**
 * An open connection in a pool. Its fields belong to the thread that has acquired it; the pool's lock passes them on.
 */
public final class PoolSlot<C extends PooledConnection> {
  /** The connection. */
  public final C connection;

  /** Whether the connection has just been opened. */
  boolean isNew = true;

  /** The time of the last use, or of the opening; see {@link PoolTime#nanoTime}. */
  long usedAt;

  /** Whether the last use does not show that the connection is valid. */
  boolean isDoubtful;

  private final long openedAt;
  private final long lifetimeNanos;

  /** The start of the current use, if the pool reports long ones. */
  long leasedAt;

  /** The stack of the acquiring thread, until it is reported; null if the pool does not report long uses. */
  @Nullable Exception leasedBy;

  PoolSlot(C connection, long openedAt, long lifetimeNanos) {
    this.connection = connection;
    this.openedAt = openedAt;
    this.usedAt = openedAt;
    this.lifetimeNanos = lifetimeNanos;
  }

  /** Returns whether the connection has reached its maximum age. */
  boolean isExpired(long now) {
    return now - openedAt >= lifetimeNanos;
  }
}
