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
 * Runs [block] as one transaction: autocommit is off during the block. When the block returns, the transaction is
 * committed; when the block throws or is cancelled, it is rolled back.
 *
 *     connection.transaction {
 *         awaitExecute("DELETE FROM flights WHERE day < 20000")
 *         awaitIngest(AdbcIngest.into("flights").with(Mode.APPEND), batches)
 *     }
 *
 * Transactions cannot be nested, and one connection cannot run two blocks at the same time.
 *
 * **Threads and cancellation.** The calls for the transaction itself run on [dispatcher], where they may block, and are
 * not cancelled. A cancellation after the block has returned is too late: the transaction is committed, and this call
 * returns.
 *
 * **Ownership.** If this call throws after the block returned an [AutoCloseable], that object is closed, because the
 * caller does not receive it. The connection itself is never closed.
 *
 * @throws org.arbalest.device.adbc.AdbcException if the driver rejects one of these calls. If the commit fails, the
 *     transaction is rolled back. If the commit succeeds and switching autocommit on fails, the transaction stays
 *     committed. If the rollback fails, its exception is suppressed in the thrown one, and autocommit stays off,
 *     because switching it on would commit: close the connection
 * @throws IllegalStateException if autocommit is already off; then nothing was executed. This is not checked for
 *     drivers that cannot report autocommit, such as those of ADBC 1.0.0
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
        uncancelled(dispatcher) { switchOn(t) } // autocommit may be off nevertheless, and no transaction has changes
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

/** Closes a result that the caller does not receive, unless it is the connection, which belongs to the caller. */
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
    true // the driver cannot report it
}

/**
 * Rolls back, and then switches autocommit on: before the rollback, many databases would commit the open transaction.
 * Exceptions, for example from a lost connection, are suppressed in [failure].
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
