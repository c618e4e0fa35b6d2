// SPDX-License-Identifier: Apache-2.0
package org.arbalest.adbc.coroutines

import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.withContext
import org.arbalest.coroutines.LendingFlow
import org.arbalest.coroutines.lendingFlow
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.adbc.AdbcConnection
import org.arbalest.device.adbc.AdbcIngest
import org.arbalest.device.adbc.AdbcStatement
import java.util.concurrent.atomic.AtomicReference

/**
 * Executes the query on [dispatcher], where it may block; see [AdbcStatement.executeQuery]. A cancellation reaches the driver, by [AdbcStatement.cancel], and waits for it to give up.
 *
 * @return the result, to be closed by the caller
 */
public suspend fun AdbcStatement.awaitQuery(dispatcher: CoroutineDispatcher = Dispatchers.IO): DeviceArrayReader =
    calling(dispatcher, ::cancel, DeviceArrayReader::close) { executeQuery() }

/** Executes the query, or the ingestion, for its effect; see [AdbcStatement.executeUpdate], and [awaitQuery] for cancellation. Answers how many rows, -1 if the driver does not know. */
public suspend fun AdbcStatement.awaitUpdate(dispatcher: CoroutineDispatcher = Dispatchers.IO): Long = calling(dispatcher, ::cancel, {}) { executeUpdate() }

/** Executes a query by a statement of its own; see [AdbcConnection.query], and [AdbcStatement.awaitQuery]. */
public suspend fun AdbcConnection.awaitQuery(sql: String, dispatcher: CoroutineDispatcher = Dispatchers.IO): DeviceArrayReader =
    callingStatement(dispatcher, DeviceArrayReader::close) { it.query(sql) }

/** Executes a query by a statement of its own for its effect; see [AdbcConnection.execute], and [AdbcStatement.awaitUpdate]. */
public suspend fun AdbcConnection.awaitExecute(sql: String, dispatcher: CoroutineDispatcher = Dispatchers.IO): Long = callingStatement(dispatcher, {}) { it.execute(sql) }

/** Fills a table with [batches], which are closed when this returns or throws; see [AdbcConnection.ingest], and [AdbcStatement.awaitUpdate]. */
public suspend fun AdbcConnection.awaitIngest(target: AdbcIngest, batches: DeviceArrayReader, dispatcher: CoroutineDispatcher = Dispatchers.IO): Long = batches.use {
    callingStatement(dispatcher, {}) { statement ->
        statement.setIngest(target)
        statement.bind(batches)
        statement.executeUpdate()
    }
}

/** Makes a table of [batches]; fails if there is one of that name. See the other. */
public suspend fun AdbcConnection.awaitIngest(table: String, batches: DeviceArrayReader, dispatcher: CoroutineDispatcher = Dispatchers.IO): Long =
    awaitIngest(AdbcIngest.into(table), batches, dispatcher)

private suspend fun <T> AdbcConnection.callingStatement(dispatcher: CoroutineDispatcher, drop: (T) -> Unit, call: (AdbcStatement) -> T): T {
    val made = AtomicReference<AdbcStatement?>()
    return calling(dispatcher, { made.get()?.cancel() }, drop) {
        createStatement().use { statement ->
            made.set(statement)
            call(statement)
        }
    }
}

/**
 * The result of a query as a cold flow: each collection executes it, by a statement of its own, and closes it.
 *
 * The flow lends its batches, as [LendingFlow] says; it may run ahead of its collector by [LendingFlow.buffer]. Executed and pulled on [dispatcher], where it may block; batches are emitted in the collector's context. A cancellation
 * reaches the driver in the middle of a pull, and waits for it to give up. Collecting throws what the query fails with, at once or in the middle.
 *
 *     connection.queryFlow("SELECT * FROM flights WHERE delay > 60").collect { batch -> late += batch.length() }
 */
public fun AdbcConnection.queryFlow(sql: String, dispatcher: CoroutineDispatcher = Dispatchers.IO): LendingFlow<DeviceArray> = lendingFlow {
    val reader = awaitQuery(sql, dispatcher)
    var failure: Throwable? = null
    try {
        while (true) {
            emit(calling<DeviceArray?>(dispatcher, reader::close, { it?.close() }, reader::next) ?: break)
        }
    } catch (t: Throwable) {
        failure = t
        throw t
    } finally {
        withContext(NonCancellable + dispatcher) {
            try {
                reader.close()
            } catch (t: Throwable) {
                failure?.addSuppressed(t) ?: throw t
            }
        }
    }
}
