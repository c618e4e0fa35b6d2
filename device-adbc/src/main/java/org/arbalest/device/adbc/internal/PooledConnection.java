// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

/** An open connection, with the operations that a pool needs. Tests implement it without a driver. */
public interface PooledConnection {
  /** Returns whether the connection executes the query of the check. */
  boolean isValid();

  /** Restores the state of a new connection after its use; returns whether another thread may use it. */
  boolean reset();

  /** Closes the connection. A failure is thrown. */
  void close();
}
