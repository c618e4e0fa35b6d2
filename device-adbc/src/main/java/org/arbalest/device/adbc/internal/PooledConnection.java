// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

/** An open connection, with the operations that a pool needs. Tests implement it without a driver. */
public interface PooledConnection {
  /** The condition of a connection after its use. */
  enum Condition {
    /** All calls of its last user succeeded. */
    GOOD,
    /** A call of its last user failed, perhaps because the connection is lost: check it before the next use. */
    DOUBTFUL,
    /** The pool closes it. */
    LOST
  }

  /** Returns whether the connection executes the query of the check. */
  boolean isValid();

  /** Restores the state of a new connection after its use, and returns whether another thread may use it. */
  Condition reset();

  /**
   * Closes the connection. A failure is thrown.
   *
   * @param released runs once, when the driver has released its connection: after a call that still runs, and also
   *     after a failure. It must not fail
   */
  void close(Runnable released);
}
