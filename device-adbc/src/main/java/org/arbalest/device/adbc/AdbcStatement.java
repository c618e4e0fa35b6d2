// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import com.google.errorprone.annotations.CheckReturnValue;
import java.util.List;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.Validation;
import org.arbalest.device.adbc.internal.StatementImpl;
import org.arbalest.device.async.AsyncArrayStream;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A statement of a connection: a query, or a table to be filled, with its parameters. It may be executed any number of
 * times, and be given another query.
 *
 * <p>A statement has one result at a time. Every change of the statement, except of its options, ends the result of the
 * previous execution: the next pull of its reader throws. A reader may outlive the statement. Some drivers have one
 * open result for all statements of a connection, for example PostgreSQL's.
 */
public sealed interface AdbcStatement extends AdbcHandle permits StatementImpl {
  /** Sets the query, in the database's SQL. */
  void setSqlQuery(String sql);

  /** Sets the query, as a serialized Substrait plan. */
  void setSubstraitPlan(byte[] plan);

  /**
   * Makes this statement fill a table with the bound rows, with {@link #executeUpdate}.
   *
   * @throws IllegalStateException if the previous target had a catalog or a schema, and this target has none: drivers
   *     keep it, and ADBC cannot reset it. Use a separate statement for each target
   */
  void setIngest(AdbcIngest target);

  /** Prepares the query for several executions. */
  void prepare();

  /**
   * Returns the parameters of the prepared query. A parameter without a name has an empty one; a parameter whose type
   * the database does not know has the null type.
   *
   * @throws AdbcException with {@link AdbcStatus#NOT_IMPLEMENTED} if the driver does not support this
   */
  Schema parameterSchema();

  /**
   * Binds a batch: rows for the ingestion, or parameters for the query, which is executed once for each row. Some
   * drivers accept only one row, for example DuckDB. Parameters are matched to columns by position: drivers need not
   * use names.
   *
   * <p><b>Ownership.</b> The statement takes the handle, even if this method throws; {@link RecordBatch#retain} keeps a
   * handle. The driver releases the batch when it no longer needs it, possibly only when the statement is closed.
   * Whether the driver uses the batch again for the next execution is undefined, so bind for each execution.
   *
   * <p>A null row of the batch itself is bound as a null in each column, as by {@link RecordBatch#pushDownNulls}
   * (REQ-21): drivers read only columns.
   *
   * @param rows a record batch in main memory
   * @throws IllegalArgumentException if the driver is known to store another value; the message has the column and row
   * @throws org.arbalest.device.DeviceException with {@code EINVAL} if a row is null, and a column cannot be null; the
   *     message contains the path and the row
   */
  void bind(RecordBatch rows);

  /**
   * Binds one row of values, in the order of the query's parameters, for one execution.
   *
   * <p>The values are objects of {@code java.lang}, {@code java.math}, {@code java.time}, {@code byte[]}, {@code UUID},
   * enums (their names), collections and arrays of these, or null. If the query is {@linkplain #prepare prepared}, and
   * the driver reports the parameters' types, the values get these types where the types can store them exactly.
   * Otherwise each value has the type that {@code docs/types.md} lists for building its class, with two exceptions:
   * times are in microseconds if that loses nothing, and an {@code OffsetDateTime} is the timestamp of its moment. A
   * null then has the null type. For PostgreSQL, which has microseconds, the nanoseconds of times are cut off.
   *
   * @param values at least one value; pass a single null as {@code (Object) null}
   * @throws IllegalArgumentException if a value's class is not supported, or if the query is prepared and has another
   *     number of parameters; the message has the position and the class
   */
  void bindValues(@Nullable Object... values);

  /**
   * Binds a stream of batches, as {@link #bind(RecordBatch)} binds one batch, for one execution.
   *
   * <p><b>Ownership.</b> The statement takes the reader, even if this method throws. The reader is closed when {@link
   * #executeUpdate} returns; the result of a query closes it when the result is closed.
   *
   * <p><b>Threads.</b> The reader is pulled during the execution, perhaps on a thread of the driver. It must not use
   * this connection or be a result of it. That is an error; but if another thread produces the batches, as with {@link
   * RecordBatchReader#copyTo} ahead, the execution blocks until it is cancelled.
   *
   * @param rows record batches in main memory
   */
  void bind(RecordBatchReader rows);

  /**
   * Executes the query.
   *
   * <p>If the query fails later, the result's {@code next} throws {@link AdbcException}. The result ends where {@code
   * next} returns null. Closing it before its end cancels the query, if the connection has executed nothing since;
   * otherwise some drivers compute the query to its end before the close returns. A result whose null was not read is
   * also cancelled, which may cost a connection to the server. With autocommit off, the query is cancelled only if the
   * driver would delay the close, because some databases abort the transaction of a cancelled query.
   *
   * <p>Whether the result continues after another call of its connection depends on the driver. If it does not, the
   * error of {@code next} names that call.
   *
   * @return the result, without columns and rows if the database returns none; the caller closes it
   * @throws AdbcException if the query fails
   */
  @CheckReturnValue
  default RecordBatchReader executeQuery() {
    return executeQuery(Validation.STRUCTURAL);
  }

  /** Executes the query, like {@link #executeQuery()}, and validates the result's batches at this level. */
  @CheckReturnValue
  RecordBatchReader executeQuery(Validation level);

  /**
   * Executes the query, whose driver pushes the result: no thread waits for batches. This is a prototype of a function
   * that is proposed for ADBC, and not part of its draft of 1.2.0: the driver's library exports {@code
   * AdbcStatementExecuteQueryAsync}. It requires that 1.2.0 was {@linkplain AdbcDriver#request requested}.
   *
   * <p><b>Ownership.</b> The caller subscribes to the stream, or closes it, which cancels the query. Until
   * {@link AsyncArrayStream#released}, changing the statement throws {@link IllegalStateException}.
   *
   * <p><b>Threads.</b> The driver's threads use the connection meanwhile. Use a connection for each async execution.
   *
   * @return the result; an error of the query reaches its subscriber
   * @throws AdbcException if the driver does not start the query; with {@link AdbcStatus#NOT_IMPLEMENTED} if it has no
   *     such function
   */
  @CheckReturnValue
  @Experimental
  AsyncArrayStream executeQueryAsync();

  /**
   * Executes SQL of several queries, each with its own result. Requires a driver of ADBC 1.2.0's draft, which was
   * {@linkplain AdbcDriver#request requested}.
   *
   * @return the results; the caller closes them
   * @throws AdbcException if the execution fails; with {@link AdbcStatus#NOT_IMPLEMENTED} if the driver does not
   *     support several results
   */
  @CheckReturnValue
  @Experimental
  AdbcMultiResultSet executeMulti();

  /**
   * Returns the schemas of all results of {@link #executeMulti}, without executing the queries.
   *
   * @throws AdbcException as for {@link #executeMulti}
   */
  @Experimental
  List<Schema> executeSchemaMulti();

  /**
   * Requests the types of the next execution's result. The driver may ignore them, so read the types from the result.
   * The request has no effect on {@link #executeSchema}. Requires a driver of ADBC 1.2.0's draft, which was
   * {@linkplain AdbcDriver#request requested}.
   *
   * @param schema the names of the result's columns, in their order, with the requested types
   * @throws AdbcException with {@link AdbcStatus#NOT_IMPLEMENTED} if the driver does not support this
   */
  @Experimental
  void requestSchema(Schema schema);

  /**
   * Executes the query, or the ingestion, for its effect.
   *
   * <p>For a query with a result, the driver decides how much of the result it computes, and so which errors occur:
   * DuckDB computes a small part of a {@code SELECT}, or all of it, depending on its threads. For such a query use
   * {@link #executeQuery()}, and read the result to its end.
   *
   * <p>If a bound reader fails, this method throws that error, regardless of the driver's result. If only closing the
   * reader fails, the error is logged, because the rows are stored.
   *
   * @return the number of affected rows, or -1 if the driver does not know it
   */
  long executeUpdate();

  /**
   * Returns the number of rows that the last execution affected, also after {@link #executeQuery()}. It is -1 if the
   * driver does not know it, or if the execution failed. Some drivers return the number of rows of the result.
   */
  long affectedRows();

  /**
   * Returns the schema of the result, without executing the query.
   *
   * @throws AdbcException with {@link AdbcStatus#NOT_IMPLEMENTED} if the driver does not support this; some drivers
   *     support it only after {@link #prepare}
   */
  Schema executeSchema();

  /**
   * Executes the query for a result in partitions. Any connection to the same database may read each partition, with
   * {@link AdbcConnection#readPartition}: in other threads, in other processes, on other machines. With {@link
   * #setIncremental} each call returns the partitions that are available so far, and none after the last.
   *
   * @throws AdbcException with {@link AdbcStatus#NOT_IMPLEMENTED} if the driver does not support partitions
   */
  AdbcPartitions executePartitions();

  /** Sets whether {@link #executePartitions} returns as soon as some partitions are available. */
  default void setIncremental(boolean isIncremental) {
    setOption("adbc.statement.exec.incremental", isIncremental);
  }

  /**
   * Returns the progress of the execution, in the driver's unit; see {@link #maxProgress}. May be called during the
   * execution.
   */
  default double progress() {
    return getDoubleOption("adbc.statement.exec.progress");
  }

  /** Returns the value of {@link #progress} at the end; unknown if it is not positive. */
  default double maxProgress() {
    return getDoubleOption("adbc.statement.exec.max_progress");
  }

  /**
   * Requests the driver to cancel this statement's execution in another thread, or the pull of its result. These calls
   * then throw, with {@link AdbcStatus#CANCELLED} or the driver's own error, unless they were already complete.
   *
   * <p>A call of this statement that waits for the connection lock throws too. Other statements continue. A bound
   * reader is also requested to stop, even if the driver cannot cancel.
   *
   * @throws AdbcException with {@link AdbcStatus#INVALID_STATE} if nothing runs; with {@link
   *     AdbcStatus#NOT_IMPLEMENTED} by drivers of ADBC 1.0.0
   */
  void cancel();

  /** Executes a query; see {@link #setSqlQuery} and {@link #executeQuery()}. */
  @CheckReturnValue
  default RecordBatchReader query(String sql) {
    setSqlQuery(sql);
    return executeQuery();
  }

  /** Executes a query without a result, for its effect; see {@link #setSqlQuery} and {@link #executeUpdate}. */
  default long execute(String sql) {
    setSqlQuery(sql);
    return executeUpdate();
  }
}
