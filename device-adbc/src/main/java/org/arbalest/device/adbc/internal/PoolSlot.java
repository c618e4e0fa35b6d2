// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

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

  PoolSlot(C connection, long openedAt) {
    this.connection = connection;
    this.usedAt = openedAt;
  }
}
