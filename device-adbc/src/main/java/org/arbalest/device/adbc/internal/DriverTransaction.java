// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.lang.System.Logger.Level;
import java.util.List;
import org.arbalest.device.adbc.AdbcException;
import org.arbalest.device.adbc.AdbcStatus;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.TimestampType;
import org.arbalest.device.types.NestedType.DictionaryType;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The transaction of an execution that binds times with a zone by PostgreSQL's driver. With autocommit on, the driver
 * begins one itself. It sets the session's time zone to UTC, executes for one bound row after the other as the result
 * is pulled, and restores the zone and commits when it finds the end of the bound rows. So such a result is read at its
 * execution, and this class undoes what a failure leaves. (Seen with 1.13; {@code bind_stream.h} and {@code
 * result_reader.cc} of apache/arrow-adbc.) A column of nulls has the type of its parameter in the query, so it may be
 * such a time, too.
 *
 * <p>The driver asks libpq for the state of a transaction. After a result by {@code COPY}, also one that was read to
 * its end, that is {@code active} until the next command, and the driver then begins no transaction where it should
 * (apache/arrow-adbc#4695). {@link #refresh} ends this state.
 */
final class DriverTransaction {
  private static final String IDLE = "idle";
  private static final String OPEN = "intrans";
  private static final String ACTIVE = "active";
  private static final String FAILED = "inerror";

  /** PostgreSQL's SQLSTATE for that. */
  private static final String FAILED_STATE = "25P02";

  /** A part of SQLite's answer to a ROLLBACK without a transaction. */
  private static final String SQLITE_IDLE = "no transaction is active";

  private static final String SQLITE_BEGUN = "within a transaction";

  private static final String SQLITE_WRITES = "SQL statements in progress";

  private final NativeHandle connection;

  /** The session's zone, if the transaction is the caller's; null if the driver begins it. */
  private final @Nullable String zone;

  private DriverTransaction(NativeHandle connection, @Nullable String zone) {
    this.connection = connection;
    this.zone = zone;
  }

  /** Returns whether executions with these bound columns may have a transaction of the driver. */
  static boolean isFor(NativeHandle statement, Schema bound) {
    boolean mayHaveZone = false;
    for (Field field : bound.fields()) mayHaveZone |= hasZone(field.type()) || field.type().equals(DataType.NULL);
    return mayHaveZone && KnownDriver.of(statement) == KnownDriver.POSTGRESQL;
  }

  /** Returns whether the driver takes a column for times with a zone. This may query the server. */
  private static boolean hasZone(NativeHandle statement, Schema bound) {
    if (bound.fields().stream().map(Field::type).anyMatch(DriverTransaction::hasZone)) return true;
    statement.call(AdbcFunction.STATEMENT_PREPARE, null, null,
        (f, error) -> Signatures.pp(f, statement.struct, error)); // as adbc.h requires before the next call
    List<Field> parameters =
        DriverSchemas.of(statement, AdbcFunction.STATEMENT_GET_PARAMETER_SCHEMA, null).fields();
    for (int i = 0; i < bound.fields().size() && i < parameters.size(); i++) {
      if (bound.fields().get(i).type().equals(DataType.NULL) && hasZone(parameters.get(i).type())) return true;
    }
    return false;
  }

  private static boolean hasZone(DataType type) {
    if (type instanceof DictionaryType dictionary) return hasZone(dictionary.values().type());
    return type instanceof TimestampType time && time.timezone() != null;
  }

  /**
   * Prepares the execution that begins. Returns null if the driver begins no transaction, or the caller's
   * has failed.
   *
   * @throws AdbcException with {@link AdbcStatus#INVALID_STATE} in a transaction that SQL began: the driver would
   *     commit it, and a failed one would be taken for the driver's, and rolled back
   */
  static @Nullable DriverTransaction begin(NativeHandle statement, Schema bound) {
    NativeHandle connection = statement.connection();
    if (!connection.lock.record.isAutoCommit()) {
      if (FAILED.equals(status(connection))) return null; // the execution fails, with its own SQL
      return new DriverTransaction(connection, SessionSql.text(connection, "SELECT current_setting('TimeZone')"));
    }
    String status = refreshed(connection);
    if (FAILED.equals(status)) throw refused(connection, AdbcFunction.STATEMENT_EXECUTE_QUERY)
        .sqlState(FAILED_STATE).message("the transaction of SQL's BEGIN has failed; execute ROLLBACK").build();
    if (!OPEN.equals(status)) return new DriverTransaction(connection, null);
    if (!hasZone(statement, bound)) return null;
    throw refused(connection, AdbcFunction.STATEMENT_EXECUTE_QUERY)
        .message("BEGIN has begun a transaction, which PostgreSQL's driver commits after times with a zone; switch "
            + "autocommit off instead of BEGIN")
        .build();
  }

  private static AdbcException.Builder refused(NativeHandle connection, AdbcFunction function) {
    return AdbcException.of(function.symbol(), AdbcStatus.INVALID_STATE.code()).driver(connection.driver.name());
  }

  /** Undoes what a failed execution has left. Requires the connection lock. */
  void fail() {
    if (zone == null) {
      boolean _ = endLeft(connection);
    } else if (OPEN.equals(status(connection))) {
      restore(zone);
    } // otherwise the transaction has failed, and its rollback restores the zone
  }

  private void restore(String before) {
    try {
      SessionSql.execute(connection, "SET TIME ZONE '" + before.replace("'", "''") + "'");
    } catch (AdbcException e) { // the execution's failure is thrown
      System.getLogger("org.arbalest.device.adbc").log(Level.WARNING, "the session's time zone was not restored", e);
    }
  }

  /** Lets PostgreSQL's driver see the state of its transaction; does nothing for others. */
  static void refresh(NativeHandle statement) {
    if (KnownDriver.of(statement) == KnownDriver.POSTGRESQL) refreshed(statement.connection());
  }

  /**
   * Throws if the transaction of a connection has failed. PostgreSQL answers its commit with a rollback, which the
   * driver returns as success. Requires the connection lock.
   *
   * @param by the function that would commit
   */
  static void requireNotFailed(NativeHandle connection, AdbcFunction by) {
    if (connection.lock.record.isAutoCommit() || !FAILED.equals(refreshed(connection))) return;
    throw refused(connection, by)
        .sqlState(FAILED_STATE)
        .message("the transaction has failed, so that the server would roll it back instead; call rollback()")
        .build();
  }

  private static @Nullable String refreshed(NativeHandle connection) {
    String status = status(connection);
    if (!ACTIVE.equals(status)) return status;
    try {
      SessionSql.execute(connection, "SELECT 1");
    } catch (AdbcException _) { // of a failed transaction, or a lost connection, as the status or the next call reports
    }
    return status(connection);
  }

  /**
   * Rolls back the transaction of a connection whose autocommit is on, if there is one. Returns false if that is not
   * possible. SQLite's driver does not report a transaction that SQL began. Requires the connection lock.
   */
  static boolean endLeft(NativeHandle connection) {
    String status = refreshed(connection);
    boolean isSqlite = status == null && SessionSql.driver(connection) == KnownDriver.SQLITE;
    if (!isSqlite && (status == null || status.equals(IDLE))) return true;
    try {
      SessionSql.execute(connection, "ROLLBACK");
      return true;
    } catch (AdbcException e) { // the connection is lost, and with it the transaction
      if (isSqlite && says(e, SQLITE_IDLE)) return true;
      System.getLogger("org.arbalest.device.adbc").log(Level.WARNING,
          "a transaction that was left open could not be rolled back", e);
      return false;
    }
  }

  /**
   * Returns whether SQLite's driver begins a transaction for an ingestion. It leaves that open if it cannot prepare its
   * INSERT, or commit. (Seen with 1.13; {@code ExecuteIngestImpl} in {@code sqlite.cc}.) Only the answer to a BEGIN
   * says whether SQL has begun one.
   *
   * @throws AdbcException if a result of a statement that writes, such as {@code INSERT … RETURNING}, has rows left.
   *     SQLite then refuses each COMMIT, but not the driver's BEGIN, and a ROLLBACK would undo that statement. Like
   *     COMMIT, SAVEPOINT is refused, but leaves nothing open
   */
  static boolean beginsForIngestion(NativeHandle statement) {
    NativeHandle connection = statement.connection();
    if (!connection.lock.record.isAutoCommit() || KnownDriver.of(statement) != KnownDriver.SQLITE) return false;
    try {
      SessionSql.execute(connection, "SAVEPOINT arbalest");
    } catch (AdbcException e) {
      if (!says(e, SQLITE_WRITES)) throw e;
      throw refused(connection, AdbcFunction.STATEMENT_EXECUTE_QUERY)
          .message("an open result of this connection is of a statement that writes, such as INSERT … RETURNING, and "
              + "until its end SQLite commits nothing: read the result to its end, or close it, before an ingestion")
          .build();
    }
    SessionSql.execute(connection, "RELEASE arbalest");
    try {
      SessionSql.execute(connection, "BEGIN");
    } catch (AdbcException e) {
      if (says(e, SQLITE_BEGUN)) return false;
      boolean _ = endLeft(connection);
      throw e;
    }
    SessionSql.execute(connection, "COMMIT");
    return true;
  }

  private static boolean says(AdbcException e, String words) {
    return String.valueOf(e.getMessage()).contains(words);
  }

  /** Returns the state of the transaction, which the driver knows without its server; null for another driver. */
  private static @Nullable String status(NativeHandle connection) {
    if (connection.lock.hasNoTransactionStatus) return null;
    try {
      return OptionFunctions.CONNECTION.get(connection, OptionFunctions.TRANSACTION_STATUS);
    } catch (AdbcException e) {
      connection.lock.hasNoTransactionStatus = KnownDriver.isUnknownOption(e);
      return null;
    }
  }
}
