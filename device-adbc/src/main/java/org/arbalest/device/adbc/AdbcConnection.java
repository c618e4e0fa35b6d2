// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import java.util.List;
import java.util.Map;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.types.Schema;
import org.arbalest.device.adbc.internal.ConnectionImpl;
import org.jspecify.annotations.Nullable;

/** A connection to a database. What several threads are to do at the same time takes a connection each. */
public sealed interface AdbcConnection extends AdbcHandle permits ConnectionImpl {
  /** Makes a statement, to be closed by the caller. */
  AdbcStatement createStatement();

  /**
   * Executes a query, by a statement of its own.
   *
   * @return the result, to be closed by the caller; see {@link AdbcStatement#executeQuery()}
   */
  default DeviceArrayReader query(String sql) {
    try (AdbcStatement statement = createStatement()) {
      return statement.query(sql); // which keeps what it needs of the statement
    }
  }

  /**
   * Executes a query for its effect, by a statement of its own: none with a result, which drivers need not compute; see
   * {@link AdbcStatement#executeUpdate}.
   *
   * @return how many rows it affected, -1 if the driver does not know
   */
  default long execute(String sql) {
    try (AdbcStatement statement = createStatement()) {
      return statement.execute(sql);
    }
  }

  /**
   * Fills a table with batches.
   *
   * @param batches in main memory; closed when this returns or throws
   * @return how many rows, -1 if the driver does not know
   * @throws AdbcException if the driver does not, as with a table that exists, or a type that the database lacks; what
   *     it has stored until then stays there, unless autocommit is off
   */
  default long ingest(AdbcIngest target, DeviceArrayReader batches) {
    try (batches;
        AdbcStatement statement = createStatement()) {
      statement.setIngest(target);
      statement.bind(batches);
      return statement.executeUpdate();
    }
  }

  /**
   * Makes a table of batches; fails if there is one of that name. See {@link #ingest(AdbcIngest, DeviceArrayReader)}.
   */
  default long ingest(String table, DeviceArrayReader batches) {
    return ingest(AdbcIngest.into(table), batches);
  }

  /**
   * Fills a table with a batch, which is closed when this returns or throws; see
   * {@link #ingest(AdbcIngest, DeviceArrayReader)}.
   */
  default long ingest(AdbcIngest target, DeviceArray batch) {
    try (batch;
        AdbcStatement statement = createStatement()) {
      statement.setIngest(target);
      statement.bind(batch);
      return statement.executeUpdate();
    }
  }

  /**
   * Makes a table of a batch, which is closed when this returns or throws; fails if there is one of that name. See
   * {@link #ingest(AdbcIngest, DeviceArrayReader)}.
   */
  default long ingest(String table, DeviceArray batch) {
    return ingest(AdbcIngest.into(table), batch);
  }

  /**
   * Reads a part of a result that {@link AdbcStatement#executePartitions} told of, perhaps to another connection.
   *
   * @return the part, to be closed by the caller
   */
  DeviceArrayReader readPartition(byte[] partition);

  /**
   * Asks the driver to give up metadata or a partition that is being read, or waits for its turn, in whichever thread;
   * not what statements execute, nor do calls end that wait to make a statement, to commit, to roll back or to set an
   * option. Like {@link AdbcStatement#cancel}.
   */
  void cancel();

  /**
   * Asks the driver to give up the call that a thread makes of the connection, of one of its statements or of their
   * results, whichever it is, or ends its wait for its turn; no other thread's, so that who shares a connection can
   * give up after some time. Like {@link AdbcStatement#cancel}, which asks a reader that is bound as well.
   *
   * @throws AdbcException with {@link AdbcStatus#INVALID_STATE} if the thread makes no such call; there may be one a
   *     moment later
   */
  void cancel(Thread caller);

  /**
   * Sets whether each execution is a transaction of its own, as it is at first; or what is executed is one until
   * {@link #commit} or {@link #rollback}. Not to be mixed with SQL that says the like.
   */
  default void setAutoCommit(boolean isAutoCommit) {
    setOption("adbc.connection.autocommit", isAutoCommit);
  }

  /** Whether each execution is a transaction of its own. */
  default boolean isAutoCommit() {
    return getOption("adbc.connection.autocommit").equals("true");
  }

  /**
   * Makes what was executed since the last time permanent.
   *
   * @throws AdbcException with {@link AdbcStatus#INVALID_STATE} if autocommit is on
   */
  void commit();

  /** Undoes what was executed since the last time; see {@link #commit}. */
  void rollback();

  /** Sets how far transactions are kept apart from others; autocommit is off. */
  default void setIsolation(AdbcIsolation isolation) {
    setOption("adbc.connection.transaction.isolation_level", isolation.value());
  }

  /** Sets whether the connection may change nothing. */
  default void setReadOnly(boolean isReadOnly) {
    setOption("adbc.connection.readonly", isReadOnly);
  }

  /** The catalog that names without one are of. */
  default String currentCatalog() {
    return getOption("adbc.connection.catalog");
  }

  /** Sets the catalog that names without one are of. */
  default void setCurrentCatalog(String catalog) {
    setOption("adbc.connection.catalog", catalog);
  }

  /** The schema that names without one are of. */
  default String currentDbSchema() {
    return getOption("adbc.connection.db_schema");
  }

  /** Sets the schema that names without one are of. */
  default void setCurrentDbSchema(String dbSchema) {
    setOption("adbc.connection.db_schema", dbSchema);
  }

  /**
   * What the driver says of the database and of itself.
   *
   * @param codes what is asked for, by the numbers of {@code adbc.h}; none for all
   */
  AdbcInfo info(int... codes);

  /** The catalogs, with what is in them, this deep. */
  List<AdbcCatalog> objects(AdbcObjects which);

  /** The schema of a table; see {@link #tableSchema(String, String, String)}. */
  default Schema tableSchema(String table) {
    return tableSchema(null, null, table);
  }

  /**
   * The schema of a table.
   *
   * @param catalog its catalog; null for the current one, or none
   * @param dbSchema its schema; null for the current one, or none
   * @throws AdbcException with {@link AdbcStatus#NOT_FOUND} if there is no such table, or what the driver has for it
   */
  Schema tableSchema(@Nullable String catalog, @Nullable String dbSchema, String table);

  /** The types of tables that the database has. */
  List<String> tableTypes();

  /**
   * What is known of the values of tables and columns. Of 1.1.0.
   *
   * @param catalog of which catalogs, a pattern; null for all
   * @param dbSchema of which schemas, a pattern; null for all
   * @param table of which tables, a pattern; null for all
   * @param mayBeApproximate whether what need not be exact will do; otherwise it may take long
   */
  List<AdbcStatistic> statistics(@Nullable String catalog, @Nullable String dbSchema, @Nullable String table,
      boolean mayBeApproximate);

  /** What the driver calls its own statistics, by key. Of 1.1.0. */
  Map<Integer, String> statisticNames();
}
