// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.adbc.AdbcConnection;

/** A connection of a pool, by a driver. */
public final class DriverConnection implements PooledConnection {
  private final ConnectionImpl connection;

  DriverConnection(ConnectionImpl connection) {
    this.connection = connection;
  }

  /** Returns the connection for one use. */
  public AdbcConnection lend() {
    return connection;
  }

  @Override
  public boolean isValid() {
    try (DeviceArrayReader result = connection.query("SELECT 1")) {
      result.forEach(_ -> {});
      return true;
    } catch (RuntimeException | Error _) { // the connection is replaced, whose own error then counts
      return false;
    }
  }

  @Override
  public Condition reset() {
    boolean isDoubtful = connection.takeFailure();
    if (!isReset(connection)) return Condition.LOST;
    var _ = connection.takeFailure(); // of a driver that does not know the option
    return isDoubtful ? Condition.DOUBTFUL : Condition.GOOD;
  }

  /** Ends a transaction that the user of the connection has left; returns whether the connection is usable. */
  private static boolean isReset(AdbcConnection connection) {
    try {
      if (connection.isAutoCommit()) return true;
      connection.rollback();
      connection.setAutoCommit(true);
      return true;
    } catch (RuntimeException _) { // the connection is closed by its user, or lost
      return false;
    }
  }

  @Override
  public void close() {
    connection.close();
  }
}
