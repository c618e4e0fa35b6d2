// SPDX-License-Identifier: Apache-2.0
package org.arbalest.adbc.coroutines

import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.withContext
import org.arbalest.device.adbc.AdbcConnection

/**
 * Runs a block as one transaction: autocommit is off meanwhile, what was executed is committed when the block returns, and rolled back when it throws, or is cancelled. Calls for the transaction itself are made on
 * [dispatcher], where they may block, and are not cancelled. Not to be nested, nor to be used for two blocks of one connection at the same time.
 *
 *     connection.transaction {
 *         awaitExecute("DELETE FROM flights WHERE day < 20000")
 *         awaitIngest(AdbcIngest.into("flights").with(Mode.APPEND), batches)
 *     }
 *
 * @throws org.arbalest.device.adbc.AdbcException what the driver says to one of these; if it does not commit, the transaction is rolled back
 */
public suspend fun <T> AdbcConnection.transaction(dispatcher: CoroutineDispatcher = Dispatchers.IO, block: suspend AdbcConnection.() -> T): T {
    suspend fun call(action: AdbcConnection.() -> Unit) = withContext(NonCancellable + dispatcher) { action() }
    call { isAutoCommit = false }
    val result = try {
        block().also { call { commit() } }
    } catch (t: Throwable) {
        call {
            // What they fail with, as with a connection that is gone, came of the same.
            for (step in listOf<AdbcConnection.() -> Unit>({ rollback() }, { isAutoCommit = true })) {
                try {
                    step()
                } catch (e: Exception) {
                    t.addSuppressed(e)
                }
            }
        }
        throw t
    }
    call { isAutoCommit = true }
    return result
}
