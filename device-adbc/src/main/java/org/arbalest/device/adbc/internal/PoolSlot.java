// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

/**
 * An open connection in a pool. Its fields belong to the thread that has acquired it; the pool's lock passes them on.
 */
public final class PoolSlot<C extends PooledConnection> {
  /** The connection. */
  public final C connection;

  /** Whether no thread has used the connection. */
  boolean isNew = true;

  PoolSlot(C connection) {
    this.connection = connection;
  }
}
