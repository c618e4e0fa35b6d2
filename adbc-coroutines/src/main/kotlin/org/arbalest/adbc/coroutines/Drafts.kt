// SPDX-License-Identifier: Apache-2.0
package org.arbalest.adbc.coroutines

import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.buffer
import kotlinx.coroutines.flow.channelFlow
import kotlinx.coroutines.flow.flow
import org.arbalest.coroutines.LendingFlow
import org.arbalest.coroutines.asFlow
import org.arbalest.coroutines.lendingFlow
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.adbc.AdbcConnection
import org.arbalest.device.adbc.AdbcDriver
import org.arbalest.device.adbc.AdbcMultiResultSet
import org.arbalest.device.adbc.AdbcStatement
import org.arbalest.device.adbc.AdbcWarning

/**
 * Marks an API for a draft of ADBC, which can change with the draft, or be removed, in any release. It requires a
 * driver of the same draft, by [AdbcDriver.request].
 */
@RequiresOptIn("This is for a draft of ADBC, and can change with it.", RequiresOptIn.Level.WARNING)
@Retention(AnnotationRetention.BINARY)
@Target(AnnotationTarget.CLASS, AnnotationTarget.FUNCTION)
public annotation class ExperimentalAdbc

/**
 * Executes SQL of several queries; see [AdbcStatement.executeMulti] and [AdbcStatement.awaitQuery].
 *
 * @return the results; the caller closes them
 */
@ExperimentalAdbc
public suspend fun AdbcStatement.awaitMulti(
    dispatcher: CoroutineDispatcher = Dispatchers.IO.limitedParallelism(1),
): AdbcMultiResultSet = awaitCall(dispatcher) { executeMulti() }

/**
 * Returns the results of several queries as a cold flow. A reader is open while `emit` runs; then the flow closes it,
 * and the next result begins. Each collection executes the queries. Threads and cancellation are as for [queryFlow].
 *
 *     connection.queryMultiFlow("SELECT 1; SELECT 2").collect { result -> result.asFlow().collect { … } }
 */
@ExperimentalAdbc
public fun AdbcConnection.queryMultiFlow(
    sql: String,
    dispatcher: CoroutineDispatcher? = null,
): Flow<RecordBatchReader> = flow {
    val here = dispatcher ?: Dispatchers.IO.limitedParallelism(1)
    awaitCall(here) { createStatement() }.useOn(here) { statement ->
        statement.awaitCall(here) { setSqlQuery(sql) }
        statement.awaitMulti(here).useOn(here) { results ->
            while (true) {
                val result = statement.awaitCall<RecordBatchReader?>(here) { results.next() } ?: break
                result.useOn(here) { emit(it) }
            }
        }
    }
}

/**
 * Returns the result of a query, which the driver pushes, as a cold flow: no thread waits for batches. See
 * [AdbcStatement.executeQueryAsync], and [asFlow] for back-pressure, cancellation and errors. Starting the query blocks
 * a thread of [dispatcher].
 *
 * **The end.** After a cancellation the driver may use the connection for some time; see
 * [org.arbalest.device.async.AsyncArrayStream.released].
 *
 * @param prefetch the maximum number of batches that wait to be collected; at least 1
 */
@ExperimentalAdbc
public fun AdbcConnection.queryAsyncFlow(
    sql: String,
    prefetch: Int = 16,
    dispatcher: CoroutineDispatcher? = null,
): LendingFlow<RecordBatch> = lendingFlow {
    val here = dispatcher ?: Dispatchers.IO.limitedParallelism(1)
    awaitCall(here) { createStatement() }.useOn(here) { statement ->
        statement.awaitCall(here) { setSqlQuery(sql) }
        statement.awaitCall(here) { executeQueryAsync() }
            .useOn(here) { stream -> stream.asFlow(prefetch).collect { emit(it) } }
    }
}

/**
 * Returns the warnings of the connection as a flow; see [AdbcConnection.setWarningHandler]. A connection has one
 * handler, which a collection sets, and removes at its end, on [dispatcher], where it may wait for a query. Warnings
 * wait for a slow collector without a limit. Closing the connection does not end the flow; a later cancellation has the
 * exception of the removal as a suppressed one.
 */
@ExperimentalAdbc
public fun AdbcConnection.warningFlow(dispatcher: CoroutineDispatcher? = null): Flow<AdbcWarning> = channelFlow {
    val here = dispatcher ?: Dispatchers.IO.limitedParallelism(1)
    var isSet = false
    AutoCloseable { if (isSet) setWarningHandler(null) }.useOn(here) {
        awaitCall(here) {
            setWarningHandler { warning -> trySend(warning) }
            isSet = true
        }
        awaitCancellation()
    }
}.buffer(Channel.UNLIMITED)
