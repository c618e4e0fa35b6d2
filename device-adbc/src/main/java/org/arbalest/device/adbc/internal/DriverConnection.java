// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.lang.System.Logger.Level;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.adbc.AdbcConnection;
import org.arbalest.device.adbc.AdbcPoolOptions;
import org.jspecify.annotations.Nullable;

/** A connection of a pool, by a driver. */
public final class DriverConnection implements PooledConnection {
  private static final System.Logger LOGGER = System.getLogger("org.arbalest.device.adbc");

  private final ConnectionImpl connection;
  private final AdbcPoolOptions options;

  /** The handle of the current use. */
  private @Nullable ConnectionImpl lease;

  private DriverConnection(ConnectionImpl connection, AdbcPoolOptions options) {
    this.connection = connection;
    this.options = options;
  }

  /** Takes over a new connection, and prepares it for the pool. If that fails, this closes the connection. */
  static DriverConnection open(ConnectionImpl connection, AdbcPoolOptions options) {
    try {
      execute(connection, options.connectionInitSql());
      return new DriverConnection(connection, options);
    } catch (Throwable t) {
      try {
        connection.close();
      } catch (RuntimeException second) {
        t.addSuppressed(second);
      }
      throw t;
    }
  }

  private static void execute(ConnectionImpl connection, @Nullable String sql) {
    if (sql == null) return;
    long _ = connection.execute(sql);
  }

  /** Returns the connection for one use, which {@link #reset} ends. */
  public AdbcConnection lease() {
    lease = connection.lease();
    return lease;
  }

  @Override
  public boolean isValid() {
    try (RecordBatchReader result = connection.query(options.connectionTestQuery())) {
      result.forEach(_ -> {});
      return true;
    } catch (RuntimeException | Error _) { // the connection is replaced, whose own error then counts
      return false;
    }
  }

  @Override
  public Condition reset() {
    ConnectionImpl ended = lease;
    lease = null;
    if (ended == null || !connection.takeBack(ended)) return Condition.LOST;
    boolean isDoubtful = connection.takeFailure();
    if (!isReset(connection) || !restores(ended)) return Condition.LOST;
    var _ = connection.takeFailure(); // of a driver that does not know the option
    return isDoubtful ? Condition.DOUBTFUL : Condition.GOOD;
  }

  /** Restores the options, and the rest by SQL; returns whether both succeeded. */
  private boolean restores(ConnectionImpl ended) {
    try {
      if (!connection.restoreOptions(ended)) return false;
      if (options.connectionResetSql() != null) {
        execute(connection, options.connectionResetSql());
        execute(connection, options.connectionInitSql()); // DISCARD ALL removes what it has set
      }
      return true;
    } catch (RuntimeException e) {
      LOGGER.log(Level.WARNING, "resetting a connection of a pool failed; the connection is closed", e);
      return false;
    }
  }

  /** Ends a transaction that the user of the connection has left; returns whether the connection is usable. */
  private static boolean isReset(ConnectionImpl connection) {
    try {
      return connection.reset();
    } catch (RuntimeException _) { // the connection is closed by its user, or lost
      return false;
    }
  }

  @Override
  public void close(Runnable released) {
    connection.handle.afterEnd(released);
    connection.close();
  }
}
