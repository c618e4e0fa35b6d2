// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import com.google.errorprone.annotations.CheckReturnValue;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.adbc.internal.ConnectionImpl;
import org.arbalest.device.adbc.internal.Parameters;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/** A connection to a database. Threads that execute at the same time need one connection each. */
public sealed interface AdbcConnection extends AdbcHandle permits ConnectionImpl {
  /** Creates a statement; the caller closes it. */
  @CheckReturnValue
  AdbcStatement createStatement();

  /**
   * Executes a query with a new statement.
   *
   * @return the result; the caller closes it. See {@link AdbcStatement#executeQuery()}
   */
  @CheckReturnValue
  default RecordBatchReader query(String sql) {
    try (AdbcStatement statement = createStatement()) {
      return statement.query(sql); // the result keeps the parts of the statement that it needs
    }
  }

  /**
   * Executes a query with parameters, with a new statement: {@code query("SELECT * FROM t WHERE id > ?", 5)}.
   *
   * @param values the parameters' values; see {@link AdbcStatement#bindValues}
   * @return the result; the caller closes it. See {@link AdbcStatement#executeQuery()}
   * @throws IllegalArgumentException if a value's class is not supported
   */
  @CheckReturnValue
  default RecordBatchReader query(String sql, @Nullable Object... values) {
    Parameters parameters = Parameters.of(values);
    try (AdbcStatement statement = createStatement()) {
      return parameters.query(statement, sql);
    }
  }

  /**
   * Executes a query for its effect, with a new statement. Do not use it for a query with a result, which drivers may
   * not compute; see {@link AdbcStatement#executeUpdate}.
   *
   * @return the number of affected rows, or -1 if the driver does not know it
   */
  default long execute(String sql) {
    try (AdbcStatement statement = createStatement()) {
      return statement.execute(sql);
    }
  }

  /**
   * Executes a query with parameters for its effect, with a new statement; see {@link #execute(String)}.
   *
   * @param values the parameters' values; see {@link AdbcStatement#bindValues}
   * @return the number of affected rows, or -1 if the driver does not know it
   * @throws IllegalArgumentException if a value's class is not supported
   */
  default long execute(String sql, @Nullable Object... values) {
    return executeMany(sql, Parameters.of(values));
  }

  /**
   * Executes a query for its effect once for each row of parameters, with a new statement. Without rows, it executes
   * nothing.
   *
   * <p>The driver receives all rows as one batch, or one after another if it accepts only one, like DuckDB. If a row
   * fails, the effects of the rows before it stay, unless autocommit is off, or PostgreSQL receives a time with a zone:
   * then none stays. PostgreSQL's driver waits for its server after each row. With autocommit off, an {@code INSERT …
   * VALUES} of parameters thus becomes one of many rows, which the table's rules, triggers and defaults see at once. To
   * store many rows, {@link #ingest(String, RecordBatch)} is faster.
   *
   * @param rows the rows, each with one value per parameter; see {@link AdbcStatement#bindValues}
   * @return the number of affected rows, or -1 if the driver does not know it
   * @throws IllegalArgumentException if a value's class is not supported, two rows have different numbers of values, or
   *     the values of a parameter have classes without a common column; nothing is executed then
   */
  default long executeMany(String sql, Collection<? extends List<? extends @Nullable Object>> rows) {
    return executeMany(sql, Parameters.ofRows(rows));
  }

  private long executeMany(String sql, Parameters parameters) {
    try (AdbcStatement statement = createStatement()) {
      return parameters.executeMany(statement, sql);
    }
  }

  /**
   * Fills a table with batches.
   *
   * @param batches in main memory; closed when this method returns or throws
   * @return the number of rows, or -1 if the driver does not know it
   * @throws AdbcException if the driver fails, for example because the table exists, or the database does not have a
   *     type. Rows that are already stored stay in the table, unless autocommit is off
   */
  default long ingest(AdbcIngest target, RecordBatchReader batches) {
    try (batches;
        AdbcStatement statement = createStatement()) {
      statement.setIngest(target);
      statement.bind(batches);
      return statement.executeUpdate();
    }
  }

  /**
   * Creates a table from batches; fails if a table with that name exists. See {@link #ingest(AdbcIngest,
   * RecordBatchReader)}.
   */
  default long ingest(String table, RecordBatchReader batches) {
    return ingest(AdbcIngest.into(table), batches);
  }

  /**
   * Fills a table with a batch, which is closed when this method returns or throws; see {@link #ingest(AdbcIngest,
   * RecordBatchReader)}.
   */
  default long ingest(AdbcIngest target, RecordBatch batch) {
    try (batch;
        AdbcStatement statement = createStatement()) {
      statement.setIngest(target);
      statement.bind(batch);
      return statement.executeUpdate();
    }
  }

  /**
   * Creates a table from a batch, which is closed when this method returns or throws; fails if a table with that name
   * exists. See {@link #ingest(AdbcIngest, RecordBatchReader)}.
   */
  default long ingest(String table, RecordBatch batch) {
    return ingest(AdbcIngest.into(table), batch);
  }

  /**
   * Reads a partition of a result, which {@link AdbcStatement#executePartitions} returned, perhaps on another
   * connection.
   *
   * @return the batches of the partition; the caller closes them
   */
  @CheckReturnValue
  RecordBatchReader readPartition(byte[] partition);

  /**
   * Requests the driver to cancel the metadata call or the partition of this connection that is being read or that
   * waits for the connection lock, on any thread.
   *
   * <p>It does not cancel the executions of statements. It does not end calls that wait to create a statement, to
   * commit, to roll back, or for an option. Errors are as for {@link AdbcStatement#cancel}.
   */
  void cancel();

  /**
   * Requests the driver to cancel the call that a thread makes of this connection, of one of its statements or of their
   * results, or ends that thread's wait for the connection lock.
   *
   * <p>It does not affect other threads, so threads that share a connection can each have a timeout. Like {@link
   * AdbcStatement#cancel}, it also requests a bound reader to stop.
   *
   * @throws AdbcException with {@link AdbcStatus#INVALID_STATE} if the thread makes no such call; it may begin one a
   *     moment later
   */
  void cancel(Thread caller);

  /**
   * Sets whether each execution is its own transaction, which is the default. Otherwise all executions until {@link
   * #commit} or {@link #rollback} are one transaction. Do not combine this with SQL statements for transactions:
   * closing a result early may abort a transaction that SQL began.
   */
  default void setAutoCommit(boolean isAutoCommit) {
    setOption("adbc.connection.autocommit", isAutoCommit);
  }

  /**
   * Returns whether each execution is its own transaction. If the driver cannot report it, as those of ADBC 1.0.0, this
   * is the value of the last {@link #setAutoCommit}, or the option of {@link AdbcDatabase#connect}.
   */
  boolean isAutoCommit();

  /**
   * Makes the changes since the last commit or rollback permanent.
   *
   * @throws AdbcException with {@link AdbcStatus#INVALID_STATE} if autocommit is on, or if the transaction of
   *     PostgreSQL has failed, as after each error or cancel: call {@link #rollback}
   */
  void commit();

  /** Undoes the changes since the last commit or rollback; see {@link #commit}. */
  void rollback();

  /** Sets the isolation of transactions from other transactions; autocommit must be off. */
  default void setIsolation(AdbcIsolation isolation) {
    setOption("adbc.connection.transaction.isolation_level", isolation.value());
  }

  /** Sets whether the connection rejects changes. */
  default void setReadOnly(boolean isReadOnly) {
    setOption("adbc.connection.readonly", isReadOnly);
  }

  /** Returns the catalog of names without a catalog. */
  default String currentCatalog() {
    return getOption("adbc.connection.catalog");
  }

  /** Sets the catalog of names without a catalog. */
  default void setCurrentCatalog(String catalog) {
    setOption("adbc.connection.catalog", catalog);
  }

  /** Returns the schema of names without a schema. */
  default String currentDbSchema() {
    return getOption("adbc.connection.db_schema");
  }

  /** Sets the schema of names without a schema. */
  default void setCurrentDbSchema(String dbSchema) {
    setOption("adbc.connection.db_schema", dbSchema);
  }

  /**
   * Returns the driver's information about the database and about itself.
   *
   * @param codes the requested codes, with the numbers of {@code adbc.h}; none for all
   */
  AdbcInfo info(int... codes);

  /** Returns the catalogs with their content, down to the requested depth. */
  List<AdbcCatalog> objects(AdbcObjects which);

  /** Returns the schema of a table; see {@link #tableSchema(String, String, String)}. */
  default Schema tableSchema(String table) {
    return tableSchema(null, null, table);
  }

  /**
   * Returns the schema of a table.
   *
   * @param catalog the table's catalog; null for the current one or none
   * @param dbSchema the table's schema; null for the current one or none
   * @throws AdbcException with {@link AdbcStatus#NOT_FOUND} if the table does not exist, or with the driver's own
   *     status for this
   */
  Schema tableSchema(@Nullable String catalog, @Nullable String dbSchema, String table);

  /** Returns the table types of the database. */
  List<String> tableTypes();

  /**
   * Returns statistics about the values of tables and columns. Requires ADBC 1.1.0.
   *
   * @param catalog a pattern for the catalogs; null for all
   * @param dbSchema a pattern for the schemas; null for all
   * @param table a pattern for the tables; null for all
   * @param mayBeApproximate whether approximate values suffice; exact values may take long
   */
  List<AdbcStatistic> statistics(@Nullable String catalog, @Nullable String dbSchema, @Nullable String table,
      boolean mayBeApproximate);

  /**
   * Sets the handler of the warnings of this connection, and replaces an earlier one.
   *
   * <p><b>Threads.</b> The handler runs on another thread, one warning after another, and may call this connection. Up
   * to 1,024 warnings wait for it; further ones are dropped, and logged once. Warnings that the driver has already sent
   * still reach an earlier handler.
   *
   * @param handler the handler; null for none
   * @throws AdbcException with {@link AdbcStatus#NOT_IMPLEMENTED} if the driver has no warnings, or ADBC 1.2.0 was not
   *     {@linkplain AdbcDriver#request requested}
   */
  @Experimental
  void setWarningHandler(@Nullable Consumer<? super AdbcWarning> handler);

  /** Returns the names of the driver's own statistics, by key. Requires ADBC 1.1.0. */
  Map<Integer, String> statisticNames();
}
