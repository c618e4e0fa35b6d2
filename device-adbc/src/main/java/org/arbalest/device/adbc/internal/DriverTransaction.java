// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.lang.System.Logger.Level;
import org.arbalest.device.adbc.AdbcException;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.TimestampType;
import org.arbalest.device.types.NestedType.DictionaryType;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The transaction that PostgreSQL's driver begins for bound times with a zone: it sets the session's time zone to UTC,
 * and executes once for each row as the result is pulled. At the end of the bound rows it restores the zone, and
 * commits if autocommit is on. After an early close or a failure the transaction would stay open, and later writes
 * would be lost with it. (Seen with 1.13; {@code bind_stream.h} and {@code result_reader.cc} of apache/arrow-adbc.)
 */
final class DriverTransaction {
  private static final String IDLE = "idle";

  private final NativeHandle connection;

  /** Whether the driver ends the transaction that it begins; otherwise it uses the caller's. */
  private final boolean isOwn;

  private DriverTransaction(NativeHandle connection, boolean isOwn) {
    this.connection = connection;
    this.isOwn = isOwn;
  }

  /** Returns whether executions with these bound columns may begin a transaction. */
  static boolean mayBegin(NativeHandle statement, Schema bound) {
    return bound.fields().stream().map(Field::type).anyMatch(DriverTransaction::hasZone)
        && KnownDriver.of(statement) == KnownDriver.POSTGRESQL;
  }

  private static boolean hasZone(DataType type) {
    if (type instanceof DictionaryType dictionary) return hasZone(dictionary.values().type());
    return type instanceof TimestampType time && time.timezone() != null;
  }

  /** Returns the transaction of the execution that begins, for a statement whose bound columns may begin one. */
  static DriverTransaction begin(NativeHandle statement) {
    NativeHandle connection = statement.connection();
    // a transaction that was begun by SQL is the caller's
    boolean isOwn = connection.lock.record.isAutoCommit() && IDLE.equals(status(connection));
    return new DriverTransaction(connection, isOwn);
  }

  /** Rolls back what an execution or its result has left open. Requires the connection lock. */
  void end() {
    if (isOwn) endLeft(connection);
  }

  /**
   * Rolls back the transaction of a connection whose autocommit is on, if there is one. Returns false if that is not
   * possible. Requires the connection lock.
   */
  static boolean endLeft(NativeHandle connection) {
    String status = status(connection);
    if (status == null || status.equals(IDLE)) return true;
    try {
      OptionFunctions.CONNECTION.set(connection, OptionFunctions.AUTOCOMMIT, "false");
      try {
        connection.call(AdbcFunction.CONNECTION_ROLLBACK, null, null,
            (f, error) -> Signatures.pp(f, connection.struct, error));
      } finally {
        OptionFunctions.CONNECTION.set(connection, OptionFunctions.AUTOCOMMIT, "true");
      }
      return true;
    } catch (AdbcException e) { // the connection is lost, and with it the transaction
      System.getLogger("org.arbalest.device.adbc").log(Level.WARNING,
          "a transaction that the driver began for times with a zone could not be rolled back", e);
      return false;
    }
  }

  /** Returns the state of the transaction, which the driver knows without its server; null for another driver. */
  private static @Nullable String status(NativeHandle connection) {
    if (connection.lock.hasNoTransactionStatus) return null;
    try {
      return OptionFunctions.CONNECTION.get(connection, OptionFunctions.TRANSACTION_STATUS);
    } catch (AdbcException _) {
      connection.lock.hasNoTransactionStatus = true;
      return null;
    }
  }
}
