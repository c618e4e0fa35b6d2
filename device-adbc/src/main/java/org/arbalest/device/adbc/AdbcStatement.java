// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.types.Schema;
import org.arbalest.device.Validation;
import org.arbalest.device.adbc.internal.StatementImpl;

/**
 * A statement of a connection: a query, or a table to be filled, with its parameters. It may be executed any number of
 * times, and be given another query.
 *
 * <p>It has one result at a time. Whatever changes the statement, but options, ends the result of the execution before:
 * its reader throws when it is pulled. A reader may outlive the statement.
 */
public sealed interface AdbcStatement extends AdbcHandle permits StatementImpl {
  /** Sets the query, in the database's SQL. */
  void setSqlQuery(String sql);

  /** Sets the query, as a serialized Substrait plan. */
  void setSubstraitPlan(byte[] plan);

  /**
   * Makes this statement one that fills a table with what is bound, by {@link #executeUpdate}.
   *
   * @throws IllegalStateException if the target before was in a catalog or a schema, and this one names none: drivers
   *     keep it, and ADBC has no way to take it back. Use a statement for each target
   */
  void setIngest(AdbcIngest target);

  /** Prepares the query, to be executed several times. */
  void prepare();

  /**
   * The parameters of the prepared query: by name, or with an empty one; of type null where the database does not know.
   *
   * @throws AdbcException with {@link AdbcStatus#NOT_IMPLEMENTED} if the driver cannot tell
   */
  Schema parameterSchema();

  /**
   * Binds a batch: rows to be ingested, or parameters, for each row of which the query is executed; some drivers take
   * one row only, DuckDB's among them. Columns are parameters by their order: drivers need not look at names. The
   * handle passes to the statement, also if this throws: {@link DeviceArray#retain} keeps one. The driver gives the
   * batch back when it is done, which may be when the statement is closed; whether it takes it for the next execution
   * again is the driver's, so bind for each.
   *
   * <p>Null rows of the batch itself are bound as nulls of each column, as {@link DeviceArray#pushDownNulls} has it
   * (REQ-21): drivers read columns only.
   *
   * @param rows a record batch in main memory
   * @throws org.arbalest.device.DeviceException with {@code EINVAL} if a row is null, and a column cannot be: the path
   *     and the row
   */
  void bind(DeviceArray rows);

  /**
   * Binds a stream of batches, as {@link #bind(DeviceArray)} binds one. The reader passes to the statement, also if
   * this throws, and has been closed when {@link
   * #executeUpdate} returns. Pulled while the statement executes, perhaps on a thread of the driver's; it must not use
   * this connection, nor be a result of it, which is an error, or stands still until it is cancelled if another thread
   * makes its batches, as with {@link DeviceArrayReader#copyTo} ahead. It is for one execution: a result of that closes
   * it when it is closed.
   *
   * @param rows record batches in main memory
   */
  void bind(DeviceArrayReader rows);

  /**
   * Executes the query.
   *
   * @return the result, to be closed by the caller; without columns and rows if the database gives none. Its
   *     {@code next} throws {@link AdbcException} if the query fails later on; closing it before its end cancels the
   *     query, if the connection has executed nothing since: some drivers compute any other to its end before the close
   *     returns. Its end is where {@code next} gives null: a result of which only that was not asked for is cancelled
   *     as well, which may cost a round trip to a server, or the transaction that it is in
   * @throws AdbcException if the query fails
   */
  default DeviceArrayReader executeQuery() {
    return executeQuery(Validation.STRUCTURAL);
  }

  /** Executes the query; like {@link #executeQuery()}. The result's batches are looked at this closely. */
  DeviceArrayReader executeQuery(Validation level);

  /**
   * Executes the query, or the ingestion, for its effect. Of a query with a result, how much of it is computed is the
   * driver's, and so is what fails in it: DuckDB computes a little of a {@code SELECT}, or all of it, as its threads
   * come along. What has a result is for {@link #executeQuery()}, read to its end. If a bound reader fails then that
   * error is thrown, whatever the driver makes of it; what only closing it fails with is logged, as the rows are
   * stored.
   *
   * @return how many rows it affected, -1 if the driver does not know
   */
  long executeUpdate();

  /**
   * The schema that the result would have, without executing.
   *
   * @throws AdbcException with {@link AdbcStatus#NOT_IMPLEMENTED} if the driver cannot tell; some can after
   *     {@link #prepare} only
   */
  Schema executeSchema();

  /**
   * Executes the query for a result in parts, each of which any connection to the same database may read, by
   * {@link AdbcConnection#readPartition}: in other threads, processes, on other machines. With {@link
   * #setIncremental} those that are there so far, and none when there are no more.
   *
   * @throws AdbcException with {@link AdbcStatus#NOT_IMPLEMENTED} if the driver does not part results
   */
  AdbcPartitions executePartitions();

  /** Sets whether {@link #executePartitions} returns as soon as there are some. */
  default void setIncremental(boolean isIncremental) {
    setOption("adbc.statement.exec.incremental", isIncremental);
  }

  /** How far the execution is, in whatever unit; see {@link #maxProgress}. May be asked while it runs. */
  default double progress() {
    return getDoubleOption("adbc.statement.exec.progress");
  }

  /** What {@link #progress} is in the end; not known if it is not positive. */
  default double maxProgress() {
    return getDoubleOption("adbc.statement.exec.max_progress");
  }

  /**
   * Asks the driver to give up what runs, in another thread, or a result that is being pulled; these then throw, with
   * {@link AdbcStatus#CANCELLED}, or what the driver says instead, unless they were done. So does a call that waits for
   * the connection's turn; other statements go on. A reader that is bound to it is asked to give up as well, also if
   * the driver cannot.
   *
   * @throws AdbcException with {@link AdbcStatus#INVALID_STATE} if nothing runs; {@link AdbcStatus#NOT_IMPLEMENTED} by
   *     drivers of 1.0.0
   */
  void cancel();

  /** Executes a query; see {@link #setSqlQuery} and {@link #executeQuery()}. */
  default DeviceArrayReader query(String sql) {
    setSqlQuery(sql);
    return executeQuery();
  }

  /**
   * Executes a query for its effect, which is none with a result; see {@link #setSqlQuery} and {@link #executeUpdate}.
   */
  default long execute(String sql) {
    setSqlQuery(sql);
    return executeUpdate();
  }
}
