// SPDX-License-Identifier: Apache-2.0
package org.arbalest.adbc.coroutines

import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.Dispatchers
import org.arbalest.coroutines.LendingFlow
import org.arbalest.coroutines.asFlow
import org.arbalest.coroutines.lendingFlow
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.adbc.Adbc
import org.arbalest.device.adbc.AdbcConnection
import org.arbalest.device.adbc.AdbcDatabase
import org.arbalest.device.adbc.AdbcDriver
import org.arbalest.device.adbc.AdbcIngest
import org.arbalest.device.adbc.AdbcStatement

/**
 * Executes the query on [dispatcher], where it may block, and returns its result; see [AdbcStatement.executeQuery].
 *
 * **Threads.** The default dispatcher is a separate view of [Dispatchers.IO] for each call, so any number of calls that
 * block in drivers cannot delay this one. The 64 threads of [Dispatchers.IO] itself do not suffice: all of them can
 * wait for batches that need one more thread.
 *
 * **Cancellation.** When the coroutine is cancelled, another thread calls [AdbcStatement.cancel], and repeats it until
 * the query ends; this call waits for that. Exceptions of these calls are suppressed in the cancellation. A driver
 * without a cancel, such as SQLite's, is not waited for: the query ends on its thread. Other calls of the connection
 * wait for it, also the end of a [transaction]. The end of a pool's lease does not: the pool closes the connection
 * after the query, and its place is free then.
 *
 * @param dispatcher the dispatcher for the calls of the driver
 * @return the result; the caller closes it
 */
public suspend fun AdbcStatement.awaitQuery(
    dispatcher: CoroutineDispatcher = Dispatchers.IO.limitedParallelism(1),
): RecordBatchReader =
    calling(dispatcher, RecordBatchReader::close, mayEndLate = true) { call ->
        call.cancellable({ cancel() }) { executeQuery() }
    }

/**
 * Executes the query, or the ingestion, for its effect; see [AdbcStatement.executeUpdate]. Threads and cancellation are
 * as for [awaitQuery].
 *
 * @return the number of affected rows, or -1 if the driver does not know it
 */
public suspend fun AdbcStatement.awaitUpdate(
    dispatcher: CoroutineDispatcher = Dispatchers.IO.limitedParallelism(1),
): Long =
    calling(dispatcher, {}, mayEndLate = true) { call -> call.cancellable({ cancel() }) { executeUpdate() } }

/**
 * Executes a query with a new statement, and returns its result; see [AdbcConnection.query] and
 * [AdbcStatement.awaitQuery].
 *
 * @return the result; the caller closes it
 */
public suspend fun AdbcConnection.awaitQuery(
    sql: String,
    dispatcher: CoroutineDispatcher = Dispatchers.IO.limitedParallelism(1),
): RecordBatchReader =
    calling(dispatcher, RecordBatchReader::close, mayEndLate = true) { call ->
        byStatement(call) { statement ->
            statement.setSqlQuery(sql)
            statement.executeQuery()
        }
    }

/**
 * Executes a query with parameters with a new statement, and returns its result:
 * `awaitQuery("SELECT * FROM flights WHERE delay > ?", 60)`. See the overload without parameters.
 *
 * @param values the parameters' values; see [AdbcStatement.bindValues]
 * @return the result; the caller closes it
 */
public suspend fun AdbcConnection.awaitQuery(
    sql: String,
    vararg values: Any?,
    dispatcher: CoroutineDispatcher = Dispatchers.IO.limitedParallelism(1),
): RecordBatchReader =
    calling(dispatcher, RecordBatchReader::close, mayEndLate = true) { call ->
        byStatement(call) { statement ->
            statement.set(sql, values)
            call.check()
            statement.executeQuery()
        }
    }

/**
 * Executes a query without a result, for its effect, with a new statement; see [AdbcConnection.execute] and
 * [AdbcStatement.awaitUpdate].
 *
 * @return the number of affected rows, or -1 if the driver does not know it
 */
public suspend fun AdbcConnection.awaitExecute(
    sql: String,
    dispatcher: CoroutineDispatcher = Dispatchers.IO.limitedParallelism(1),
): Long =
    calling(dispatcher, {}, mayEndLate = true) { call ->
        byStatement(call) { statement ->
            statement.setSqlQuery(sql)
            statement.executeUpdate()
        }
    }

/**
 * Executes a query with parameters for its effect, with a new statement; see the overload without parameters.
 *
 * @param values the parameters' values; see [AdbcStatement.bindValues]
 * @return the number of affected rows, or -1 if the driver does not know it
 */
public suspend fun AdbcConnection.awaitExecute(
    sql: String,
    vararg values: Any?,
    dispatcher: CoroutineDispatcher = Dispatchers.IO.limitedParallelism(1),
): Long =
    calling(dispatcher, {}, mayEndLate = true) { call ->
        byStatement(call) { statement ->
            statement.set(sql, values)
            call.check()
            statement.executeUpdate()
        }
    }

private fun AdbcStatement.set(sql: String, values: Array<out Any?>) {
    setSqlQuery(sql)
    if (values.isNotEmpty()) bindValues(*values)
}

/**
 * Executes a query for its effect once for each row of parameters; see [AdbcConnection.executeMany]. A cancellation
 * also ends the execution of later rows.
 *
 * @param rows the rows, each with one value per parameter
 * @return the number of affected rows, or -1 if the driver does not know it
 */
public suspend fun AdbcConnection.awaitExecuteMany(
    sql: String,
    rows: Collection<List<Any?>>,
    dispatcher: CoroutineDispatcher = Dispatchers.IO.limitedParallelism(1),
): Long = calling(dispatcher, {}) { call -> byConnection(call) { executeMany(sql, rows) } }

/**
 * Creates a statement, and runs [action] with it. A cancellation cancels the statement, and calls [cancels]. A
 * cancellation before the statement exists does not wait: the connection may be busy with the calls of other
 * coroutines.
 */
private fun <T> AdbcConnection.byStatement(
    call: BlockingCall,
    vararg cancels: () -> Unit,
    action: (AdbcStatement) -> T,
): T =
    createStatement().use { statement -> call.cancellable(statement::cancel, *cancels) { action(statement) } }

/**
 * Fills a table with [batches]; see [AdbcConnection.ingest] and [AdbcStatement.awaitUpdate].
 *
 * This call closes the batches when it returns or throws. A cancellation closes them too, which requests a waiting
 * source to stop, because the driver then waits for the source.
 *
 * @return the number of rows, or -1 if the driver does not know it
 */
public suspend fun AdbcConnection.awaitIngest(
    target: AdbcIngest,
    batches: RecordBatchReader,
    dispatcher: CoroutineDispatcher = Dispatchers.IO.limitedParallelism(1),
): Long = batches.use {
    calling(dispatcher, {}) { call ->
        byStatement(call, batches::close) { statement ->
            statement.setIngest(target)
            statement.bind(batches)
            statement.executeUpdate()
        }
    }
}

/** Creates a table from [batches]; fails if a table with that name exists. See the overload for [AdbcIngest]. */
public suspend fun AdbcConnection.awaitIngest(
    table: String,
    batches: RecordBatchReader,
    dispatcher: CoroutineDispatcher = Dispatchers.IO.limitedParallelism(1),
): Long = awaitIngest(AdbcIngest.into(table), batches, dispatcher)

/**
 * Fills a table with a [batch]; see [AdbcConnection.ingest] and [AdbcStatement.awaitUpdate]. This call closes the batch
 * when it returns or throws.
 *
 * @return the number of rows, or -1 if the driver does not know it
 */
public suspend fun AdbcConnection.awaitIngest(
    target: AdbcIngest,
    batch: RecordBatch,
    dispatcher: CoroutineDispatcher = Dispatchers.IO.limitedParallelism(1),
): Long = batch.use {
    calling(dispatcher, {}) { call ->
        byStatement(call) { statement ->
            statement.setIngest(target)
            statement.bind(batch)
            statement.executeUpdate()
        }
    }
}

/** Creates a table from a [batch]; fails if a table with that name exists. See the overload for [AdbcIngest]. */
public suspend fun AdbcConnection.awaitIngest(
    table: String,
    batch: RecordBatch,
    dispatcher: CoroutineDispatcher = Dispatchers.IO.limitedParallelism(1),
): Long = awaitIngest(AdbcIngest.into(table), batch, dispatcher)

/**
 * Reads a partition of a result; see [AdbcConnection.readPartition] and [AdbcStatement.awaitQuery]. A cancellation
 * calls [AdbcConnection.cancel] for the thread of this call.
 *
 * @return the batches of the partition; the caller closes them
 */
public suspend fun AdbcConnection.awaitPartition(
    partition: ByteArray,
    dispatcher: CoroutineDispatcher = Dispatchers.IO.limitedParallelism(1),
): RecordBatchReader = calling(dispatcher, RecordBatchReader::close) { call ->
    byConnection(call) { readPartition(partition) }
}

/**
 * Opens a connection on [dispatcher]; see [AdbcDatabase.connect].
 *
 * ADBC cannot cancel this call. A cancelled coroutine waits until the driver has connected or failed, and closes the
 * connection. Only a wait until another thread has connected to the same database ends at once.
 *
 * @return the connection; the caller closes it
 */
public suspend fun AdbcDatabase.awaitConnect(
    options: Map<String, Any> = emptyMap(),
    dispatcher: CoroutineDispatcher = Dispatchers.IO.limitedParallelism(1),
): AdbcConnection = calling(dispatcher, AdbcConnection::close) { call -> interruptibly(call) { connect(options) } }

/**
 * Connects to a database by its URI on [dispatcher]; see [Adbc.connect]. Cancellation is as for the overload for
 * [AdbcDatabase].
 *
 * @return the connection, which closes the database too; the caller closes it
 */
public suspend fun awaitConnect(
    uri: String,
    options: Map<String, Any> = emptyMap(),
    dispatcher: CoroutineDispatcher = Dispatchers.IO.limitedParallelism(1),
): AdbcConnection = calling(dispatcher, AdbcConnection::close) { call ->
    call.begin()
    Adbc.connect(uri, options)
}

/**
 * Opens a database on [dispatcher]; see [AdbcDriver.open]. Cancellation is as for [awaitConnect].
 *
 * @return the database; the caller closes it
 */
public suspend fun AdbcDriver.awaitOpen(
    options: Map<String, Any> = emptyMap(),
    dispatcher: CoroutineDispatcher = Dispatchers.IO.limitedParallelism(1),
): AdbcDatabase = calling(dispatcher, AdbcDatabase::close) { call ->
    call.begin()
    open(options)
}

/**
 * Runs any other call of a connection on [dispatcher], where it may block, such as
 * `awaitCall { objects(AdbcObjects.all()) }`.
 *
 * A cancellation calls [AdbcConnection.cancel] for the thread of this call. That cancels everything that the thread
 * does with the connection, also through statements and results. Then it waits for the call, as
 * [AdbcStatement.awaitQuery] does. If the call still returns an [AutoCloseable], it is closed. Calls of other threads
 * on the connection continue.
 */
public suspend fun <T> AdbcConnection.awaitCall(
    dispatcher: CoroutineDispatcher = Dispatchers.IO.limitedParallelism(1),
    call: AdbcConnection.() -> T,
): T =
    calling(dispatcher, ::drop) { byConnection(it) { call() } }

/**
 * Runs a call of the connection, or of its statements and results. A cancellation cancels only the operations of this
 * thread.
 */
private fun <T> AdbcConnection.byConnection(call: BlockingCall, action: () -> T): T {
    val caller = Thread.currentThread()
    return call.cancellable({ cancel(caller) }, action = action)
}

/**
 * Runs any other call of a statement, such as `awaitCall { prepare() }`. A cancellation calls [AdbcStatement.cancel];
 * otherwise like the overload for [AdbcConnection].
 */
public suspend fun <T> AdbcStatement.awaitCall(
    dispatcher: CoroutineDispatcher = Dispatchers.IO.limitedParallelism(1),
    call: AdbcStatement.() -> T,
): T =
    calling(dispatcher, ::drop) { it.cancellable({ cancel() }) { call() } }

internal fun drop(answer: Any?) {
    if (answer is AutoCloseable) answer.close()
}

/**
 * Returns the result of a query as a cold flow. Each collection executes the query with a new statement, and closes it.
 *
 *     connection.queryFlow("SELECT * FROM flights WHERE delay > 60").collect { batch -> late += batch.length() }
 *
 * **Ownership.** The flow owns its batches, as [LendingFlow] describes. [LendingFlow.buffer] lets it run ahead of its
 * collector.
 *
 * **Threads.** The query is executed and pulled on [dispatcher], where it may block, as with
 * [AdbcStatement.awaitQuery]. The default is a separate view of [Dispatchers.IO] for each collection. Batches are
 * emitted in the collector's context.
 *
 * **Cancellation and errors.** A cancellation reaches the driver even during a pull, and waits until the driver stops.
 * Collecting throws the errors of the query, at its start or between batches.
 */
public fun AdbcConnection.queryFlow(
    sql: String,
    dispatcher: CoroutineDispatcher? = null,
): LendingFlow<RecordBatch> = lendingFlow {
    val here = dispatcher ?: Dispatchers.IO.limitedParallelism(1)
    awaitQuery(sql, here).asFlow(here).collect { emit(it) }
}

/**
 * Returns the result of a query with parameters as a cold flow:
 * `queryFlow("SELECT * FROM flights WHERE delay > ?", 60)`. See the overload without parameters.
 *
 * @param values the parameters' values for each collection; see [AdbcStatement.bindValues]
 */
public fun AdbcConnection.queryFlow(
    sql: String,
    vararg values: Any?,
    dispatcher: CoroutineDispatcher? = null,
): LendingFlow<RecordBatch> = lendingFlow {
    val here = dispatcher ?: Dispatchers.IO.limitedParallelism(1)
    awaitQuery(sql, *values, dispatcher = here).asFlow(here).collect { emit(it) }
}
