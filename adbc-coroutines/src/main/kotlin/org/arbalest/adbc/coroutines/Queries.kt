// SPDX-License-Identifier: Apache-2.0
package org.arbalest.adbc.coroutines

import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.Dispatchers
import org.arbalest.coroutines.LendingFlow
import org.arbalest.coroutines.asFlow
import org.arbalest.coroutines.lendingFlow
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.adbc.AdbcConnection
import org.arbalest.device.adbc.AdbcDatabase
import org.arbalest.device.adbc.AdbcDriver
import org.arbalest.device.adbc.AdbcIngest
import org.arbalest.device.adbc.AdbcStatement

/**
 * Executes the query on [dispatcher], where it may block; see [AdbcStatement.executeQuery]. By default that is a view
 * of [Dispatchers.IO] of the call's own, which is not held up by other calls, however many of them wait in drivers: the
 * 64 threads of [Dispatchers.IO] itself may all wait for batches that need one more.
 *
 * A cancellation reaches the driver, by [AdbcStatement.cancel] in another thread, again and again, and waits for the
 * query to be given up. What fails with that is suppressed in it.
 *
 * @return the result, to be closed by the caller
 */
public suspend fun AdbcStatement.awaitQuery(
    dispatcher: CoroutineDispatcher = Dispatchers.IO.limitedParallelism(1),
): DeviceArrayReader =
    calling(dispatcher, DeviceArrayReader::close) { call -> call.cancellable({ cancel() }) { executeQuery() } }

/**
 * Executes the query, or the ingestion, for its effect; see [AdbcStatement.executeUpdate], and [awaitQuery] for threads
 * and cancellation. Answers how many rows, -1 if the driver does not know.
 */
public suspend fun AdbcStatement.awaitUpdate(
    dispatcher: CoroutineDispatcher = Dispatchers.IO.limitedParallelism(1),
): Long =
    calling(dispatcher, {}) { call -> call.cancellable({ cancel() }) { executeUpdate() } }

/** Executes a query by a statement of its own; see [AdbcConnection.query], and [AdbcStatement.awaitQuery]. */
public suspend fun AdbcConnection.awaitQuery(
    sql: String,
    dispatcher: CoroutineDispatcher = Dispatchers.IO.limitedParallelism(1),
): DeviceArrayReader =
    calling(dispatcher, DeviceArrayReader::close) { call ->
        byStatement(call) { statement ->
            statement.setSqlQuery(sql)
            statement.executeQuery()
        }
    }

/**
 * Executes a query by a statement of its own for its effect, which is none with a result; see [AdbcConnection.execute],
 * and [AdbcStatement.awaitUpdate].
 */
public suspend fun AdbcConnection.awaitExecute(
    sql: String,
    dispatcher: CoroutineDispatcher = Dispatchers.IO.limitedParallelism(1),
): Long =
    calling(dispatcher, {}) { call ->
        byStatement(call) { statement ->
            statement.setSqlQuery(sql)
            statement.executeUpdate()
        }
    }

/**
 * Makes a statement for [action], which is cancelled by it, and by [cancels]. Until there is one nobody is waited for:
 * the connection may be busy with what others want.
 */
private fun <T> AdbcConnection.byStatement(
    call: BlockingCall,
    vararg cancels: () -> Unit,
    action: (AdbcStatement) -> T,
): T =
    createStatement().use { statement -> call.cancellable(statement::cancel, *cancels) { action(statement) } }

/**
 * Fills a table with [batches], which are closed when this returns or throws; see [AdbcConnection.ingest], and
 * [AdbcStatement.awaitUpdate]. A cancellation closes them as well, so that a source that waits is asked to give up: the
 * driver waits for it then.
 */
public suspend fun AdbcConnection.awaitIngest(
    target: AdbcIngest,
    batches: DeviceArrayReader,
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

/** Makes a table of [batches]; fails if there is one of that name. See the other. */
public suspend fun AdbcConnection.awaitIngest(
    table: String,
    batches: DeviceArrayReader,
    dispatcher: CoroutineDispatcher = Dispatchers.IO.limitedParallelism(1),
): Long = awaitIngest(AdbcIngest.into(table), batches, dispatcher)

/**
 * Fills a table with a [batch], which is closed when this returns or throws; see [AdbcConnection.ingest], and
 * [AdbcStatement.awaitUpdate].
 */
public suspend fun AdbcConnection.awaitIngest(
    target: AdbcIngest,
    batch: DeviceArray,
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

/** Makes a table of a [batch]; fails if there is one of that name. See the other. */
public suspend fun AdbcConnection.awaitIngest(
    table: String,
    batch: DeviceArray,
    dispatcher: CoroutineDispatcher = Dispatchers.IO.limitedParallelism(1),
): Long = awaitIngest(AdbcIngest.into(table), batch, dispatcher)

/**
 * Reads a part of a result; see [AdbcConnection.readPartition], and [AdbcStatement.awaitQuery]. A cancellation is
 * [AdbcConnection.cancel]'s for its thread.
 */
public suspend fun AdbcConnection.awaitPartition(
    partition: ByteArray,
    dispatcher: CoroutineDispatcher = Dispatchers.IO.limitedParallelism(1),
): DeviceArrayReader = calling(dispatcher, DeviceArrayReader::close) { call ->
    byConnection(call) { readPartition(partition) }
}

/**
 * Opens a connection on [dispatcher]; see [AdbcDatabase.connect]. ADBC cannot cancel that: a cancellation waits until
 * the driver has connected, or has not, and closes the connection.
 */
public suspend fun AdbcDatabase.awaitConnect(
    options: Map<String, Any> = emptyMap(),
    dispatcher: CoroutineDispatcher = Dispatchers.IO.limitedParallelism(1),
): AdbcConnection = calling(dispatcher, AdbcConnection::close) { call ->
    call.begin()
    connect(options)
}

/** Opens a database on [dispatcher]; see [AdbcDriver.open], and [awaitConnect]. */
public suspend fun AdbcDriver.awaitOpen(
    options: Map<String, Any> = emptyMap(),
    dispatcher: CoroutineDispatcher = Dispatchers.IO.limitedParallelism(1),
): AdbcDatabase = calling(dispatcher, AdbcDatabase::close) { call ->
    call.begin()
    open(options)
}

/**
 * Makes any other call of a connection on [dispatcher], where it may block, such as
 * `awaitCall { objects(AdbcObjects.all()) }`. A cancellation is [AdbcConnection.cancel]'s for its thread, whatever that
 * does of the connection, by statements and results too, and waits for the call, as with [AdbcStatement.awaitQuery];
 * what it answers all the same is closed if it is an [AutoCloseable]. Calls of others that share the connection go on.
 */
public suspend fun <T> AdbcConnection.awaitCall(
    dispatcher: CoroutineDispatcher = Dispatchers.IO.limitedParallelism(1),
    call: AdbcConnection.() -> T,
): T =
    calling(dispatcher, ::drop) { byConnection(it) { call() } }

/**
 * Makes a call of the connection, of its statements and results too: what this thread does of it is cancelled, and
 * nothing else.
 */
private fun <T> AdbcConnection.byConnection(call: BlockingCall, action: () -> T): T {
    val caller = Thread.currentThread()
    return call.cancellable({ cancel(caller) }, action = action)
}

/**
 * Makes any other call of a statement, such as `awaitCall { prepare() }`. A cancellation is [AdbcStatement.cancel]'s;
 * see the other.
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
 * The result of a query as a cold flow: each collection executes it, by a statement of its own, and closes it.
 *
 * The flow lends its batches, as [LendingFlow] says; it may run ahead of its collector by [LendingFlow.buffer].
 * Executed and pulled on [dispatcher], where it may block, as with [AdbcStatement.awaitQuery], by default on a view of
 * [Dispatchers.IO] of each collection's own; batches are emitted in the collector's context. A cancellation reaches the
 * driver in the middle of a pull, and waits for it to give up. Collecting throws what the query fails with, at once or
 * in the middle.
 *
 *     connection.queryFlow("SELECT * FROM flights WHERE delay > 60").collect { batch -> late += batch.length() }
 */
public fun AdbcConnection.queryFlow(
    sql: String,
    dispatcher: CoroutineDispatcher? = null,
): LendingFlow<DeviceArray> = lendingFlow {
    val here = dispatcher ?: Dispatchers.IO.limitedParallelism(1)
    awaitQuery(sql, here).asFlow(here).collect { emit(it) }
}
