// SPDX-License-Identifier: Apache-2.0
package org.arbalest.adbc.coroutines

import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import org.arbalest.device.adbc.AdbcConnection
import org.arbalest.device.adbc.AdbcException
import org.arbalest.device.adbc.AdbcStatus

/**
 * Runs a block as one transaction: autocommit is off meanwhile, what was executed is committed when the block returns,
 * and rolled back when it throws, or is cancelled. Not to be nested, nor to be used for two blocks of one connection at
 * the same time.
 *
 * Calls for the transaction itself are made on [dispatcher], where they may block, and are not cancelled. A
 * cancellation that comes when the block has returned is too late: what was executed is committed, and this returns.
 *
 * What the block returns, if it is an [AutoCloseable] other than the connection, is closed where this throws all the
 * same, as nobody gets it.
 *
 *     connection.transaction {
 *         awaitExecute("DELETE FROM flights WHERE day < 20000")
 *         awaitIngest(AdbcIngest.into("flights").with(Mode.APPEND), batches)
 *     }
 *
 * @throws org.arbalest.device.adbc.AdbcException what the driver says to one of these. If it does not commit, the
 *     transaction is rolled back. If it commits, and then does not switch autocommit on, the block is committed all the
 *     same. If it does not roll back, that is suppressed in what is thrown, and autocommit stays off, since switching
 *     it on would commit: the connection is to be closed
 * @throws IllegalStateException if autocommit is off already; nothing was done then. Drivers that cannot tell, as those
 *     of 1.0.0, are not asked
 */
public suspend fun <T> AdbcConnection.transaction(
    dispatcher: CoroutineDispatcher = Dispatchers.IO.limitedParallelism(1),
    block: suspend AdbcConnection.() -> T,
): T {
    check(calling(dispatcher, {}) { mayBegin() }) {
        "autocommit is off, so the connection is in a transaction already: commit it, or roll it back, and switch " +
            "autocommit on first"
    }
    try {
        uncancelled(dispatcher) { isAutoCommit = false }
    } catch (t: Throwable) {
        uncancelled(dispatcher) { switchOn(t) } // it may be off all the same, and nothing is open
        throw t
    }
    var answer: Any? = null
    val result = try {
        currentCoroutineContext().ensureActive()
        block().also {
            answer = it
            uncancelled(dispatcher) { commit() }
        }
    } catch (t: Throwable) {
        uncancelled(dispatcher) {
            drop(answer, t)
            undo(t)
        }
        throw t
    }
    try {
        uncancelled(dispatcher) { isAutoCommit = true }
    } catch (t: Throwable) {
        uncancelled(dispatcher) { drop(answer, t) }
        throw t
    }
    return result
}

/** Nobody gets it, unless it is the connection, which is the caller's. */
private fun AdbcConnection.drop(answer: Any?, failure: Throwable) {
    if (answer === this) return
    try {
        drop(answer)
    } catch (e: Exception) {
        failure.addSuppressed(e)
    }
}

private fun AdbcConnection.mayBegin(): Boolean = try {
    isAutoCommit
} catch (e: AdbcException) {
    if (e.status() != AdbcStatus.NOT_IMPLEMENTED && e.status() != AdbcStatus.NOT_FOUND) throw e
    true // it cannot tell
}

/**
 * Rolls back, and only then switches autocommit on: on many databases that commits what is open. What they fail with,
 * as with a connection that is gone, is suppressed in [failure].
 */
private fun AdbcConnection.undo(failure: Throwable) {
    try {
        rollback()
    } catch (e: Exception) {
        failure.addSuppressed(IllegalStateException("the transaction was not rolled back, so autocommit was not " +
            "switched on, which might commit it; close the connection", e))
        return
    }
    switchOn(failure)
}

private fun AdbcConnection.switchOn(failure: Throwable) {
    try {
        isAutoCommit = true
    } catch (e: Exception) {
        failure.addSuppressed(e)
    }
}
