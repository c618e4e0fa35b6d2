// SPDX-License-Identifier: Apache-2.0
package org.arbalest.adbc.coroutines

import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.async
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.isActive
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeoutOrNull
import org.arbalest.device.adbc.AdbcException
import org.arbalest.device.adbc.AdbcStatus
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/**
 * How long a call that is to be given up has to return before the driver is asked again, as it may have been asked
 * before the call had begun. Twice as long each time, up to the second of these: some drivers cannot give up at all,
 * and for some asking is a connection to the server.
 */
private val FIRST_PATIENCE = 10.milliseconds
private val LAST_PATIENCE = 1.seconds

/** A call that blocks, on the thread that makes it; and what gives it up, from another. */
internal class BlockingCall {
    private var cancels: List<() -> Unit> = emptyList()
    private var isGivenUp = false
    private var hasBegun = false

    /**
     * Runs what all of [cancels] together make give up: they are called while it runs, and not behind it, where they
     * would hit what comes next. It does not begin where that has been asked for already.
     */
    fun <T> cancellable(vararg cancels: () -> Unit, action: () -> T): T {
        synchronized(this) {
            begin()
            this.cancels = cancels.asList()
        }
        try {
            return action()
        } finally {
            synchronized(this) { this.cancels = emptyList() }
        }
    }

    /** What is done from now on is waited for. Throws if there is nobody any more who wants it made. */
    fun begin(): Unit = synchronized(this) {
        check()
        hasBegun = true
    }

    /** Throws if there is nobody any more who wants it made. */
    fun check(): Unit = synchronized(this) {
        if (isGivenUp) throw CancellationException("cancelled before the driver was called")
    }

    /**
     * Whether it had begun when it was given up: else it does not any more, wherever it waits, and nobody has to wait
     * for that.
     */
    fun hasBegun(): Boolean = synchronized(this) { hasBegun }

    /** Asks for it to be given up, and answers what that failed with. */
    fun giveUp(): List<Throwable> = synchronized(this) {
        isGivenUp = true
        cancels.mapNotNull { runCatching(it).exceptionOrNull() }
    }
}

/**
 * Makes a call that blocks, on a [dispatcher], in the caller's context otherwise. When the coroutine is cancelled, the
 * call is given up, and waited for if it has begun, since what it uses is the caller's: by what it says is
 * [BlockingCall.cancellable], on [asking], as that may block too, and neither the caller's threads nor those of
 * [dispatcher] are to be held up. What it answers all the same is for [drop]. What fails with these is suppressed in
 * the cancellation. Until the call says that it has begun it uses what holds itself, as a connection does, and gives
 * back what it has made.
 */
internal suspend fun <T> calling(
    dispatcher: CoroutineDispatcher,
    drop: (T) -> Unit,
    asking: CoroutineDispatcher = Dispatchers.IO.limitedParallelism(1),
    call: (BlockingCall) -> T,
): T {
    val context = currentCoroutineContext()
    context.ensureActive()
    val blocking = BlockingCall()
    val running = CoroutineScope(context.minusKey(Job) + dispatcher).async {
        blocking.check()
        runCatching { call(blocking) } // what it fails with may be a cancellation of its own
    }
    val outcome = try {
        running.await()
    } catch (e: CancellationException) {
        uncancelled(asking) { running.giveUp(blocking, drop) }.forEach(e::addSuppressed)
        if (!context.isActive) throw e
        // Nobody cancelled the coroutine: dispatchers answer so when they run nothing any more.
        throw IllegalStateException("the dispatcher $dispatcher was shut down", e)
    }
    return outcome.getOrThrow()
}

/** Answers what went wrong with asking, the first time that it did, and with dropping. */
private suspend fun <T> Deferred<Result<T>>.giveUp(call: BlockingCall, drop: (T) -> Unit): List<Throwable> {
    var failures = emptyList<Throwable>()
    var patience = FIRST_PATIENCE
    while (!isCompleted) {
        val failed = call.giveUp().filterNot { it.saysThatThereIsNothing() }
        if (failures.isEmpty()) failures = failed
        if (!call.hasBegun()) {
            cancel()
            return failures
        }
        withTimeoutOrNull(patience) { join() }
        patience = minOf(patience * 2, LAST_PATIENCE)
    }
    val outcome = runCatching { await() }.getOrNull() ?: return failures
    val dropping = outcome.map { runCatching { drop(it) }.exceptionOrNull() }.getOrNull()
    return failures + listOfNotNull(dropping)
}

/** The call has not begun, or is over, or cannot be given up: then it is waited for, and that is no failure. */
private fun Throwable.saysThatThereIsNothing() = this is AdbcException &&
    (status() == AdbcStatus.INVALID_STATE || status() == AdbcStatus.NOT_IMPLEMENTED)

/**
 * Does something on a [dispatcher], whether or not the coroutine is cancelled, and answers or throws what came of it:
 * with `NonCancellable + dispatcher` a cancellation would take the answer's place on the way back. One that was shut
 * down runs nothing; then it is done all the same, where it may block as well.
 */
internal suspend fun <T> uncancelled(
    dispatcher: CoroutineDispatcher,
    action: suspend () -> T,
): T = withContext(NonCancellable) {
    try {
        withContext(dispatcher) { action() }
    } catch (_: CancellationException) {
        withContext(Dispatchers.IO.limitedParallelism(1)) { action() }
    }
}
