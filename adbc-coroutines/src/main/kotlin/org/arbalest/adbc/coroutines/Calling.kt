// SPDX-License-Identifier: Apache-2.0
package org.arbalest.adbc.coroutines

import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.ExperimentalCoroutinesApi
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
 * The time that a cancelled call has to return before the driver is requested to cancel again: the first request may
 * have come before the call began. The time doubles up to [LAST_PATIENCE], because some drivers cannot cancel at all,
 * and for some each request opens a connection to the server.
 */
private val FIRST_PATIENCE = 10.milliseconds
private val LAST_PATIENCE = 1.seconds

/** A blocking call on one thread, and its cancellation from another. */
internal class BlockingCall {
    private var cancels: List<() -> Unit> = emptyList()
    private var isGivenUp = false
    private var hasBegun = false

    /**
     * Runs [action], which all of [cancels] together cancel. They are called only while [action] runs: a later call
     * would cancel the next operation. If the cancellation has already been requested, [action] does not start.
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

    /** Marks the start of work that a cancellation waits for. Throws if the call is already cancelled. */
    fun begin(): Unit = synchronized(this) {
        check()
        hasBegun = true
    }

    /** Throws if the call is already cancelled. */
    fun check(): Unit = synchronized(this) {
        if (isGivenUp) throw CancellationException("cancelled before the driver was called")
    }

    /**
     * Returns whether the call had begun when it was cancelled. A call that has not begun never begins, regardless of
     * where it waits, so no caller has to wait for it.
     */
    fun hasBegun(): Boolean = synchronized(this) { hasBegun }

    /** Requests the cancellation, and returns the outcomes; none if nothing runs that can be cancelled. */
    fun giveUp(): List<Result<Unit>> = synchronized(this) {
        isGivenUp = true
        cancels.map { runCatching(it) }
    }
}

/**
 * Runs [action], which an interrupt of its thread cancels. Then clears that interrupt, but no other, because the
 * dispatcher's thread continues with other work.
 */
internal fun <T> interruptibly(call: BlockingCall, action: () -> T): T {
    val caller = Thread.currentThread()
    var isInterrupted = false
    try {
        return call.cancellable({
            isInterrupted = true
            caller.interrupt()
        }, action = action)
    } finally {
        if (isInterrupted) Thread.interrupted()
    }
}

/**
 * Runs a blocking call on [dispatcher], and otherwise in the caller's context.
 *
 * If the coroutine is cancelled after the call has begun, this function cancels the call and waits for it, because the
 * call uses objects of the caller. The cancellation uses [BlockingCall.cancellable] on [asking]: it may block too, and
 * must not delay the caller's threads or those of [dispatcher]. If the call still returns an object, [drop] closes it.
 * The exceptions of these steps are suppressed in the cancellation.
 *
 * With [mayEndLate], a call whose driver cannot cancel is not waited for: it ends on its thread, which then drops its
 * result. Such a call may use only objects of the driver, which are kept until then. After a call of the driver, it
 * [checks][BlockingCall.check] before it makes another that has an effect.
 *
 * Before the call has begun, it may use only objects that protect themselves, such as a connection, and must release
 * all objects that it has created.
 */
internal suspend fun <T> calling(
    dispatcher: CoroutineDispatcher,
    drop: (T) -> Unit,
    asking: CoroutineDispatcher = Dispatchers.IO.limitedParallelism(1),
    mayEndLate: Boolean = false,
    call: (BlockingCall) -> T,
): T {
    val context = currentCoroutineContext()
    context.ensureActive()
    val blocking = BlockingCall()
    val running = CoroutineScope(context.minusKey(Job) + dispatcher).async {
        blocking.check()
        // not thrown here: the exception may be a CancellationException of the call itself
        runCatching { call(blocking) }
    }
    val outcome = try {
        running.await()
    } catch (e: CancellationException) {
        uncancelled(asking) { running.giveUp(blocking, drop, mayEndLate) }.forEach(e::addSuppressed)
        if (!context.isActive) throw e
        // The coroutine is not cancelled: a dispatcher that was shut down also throws CancellationException.
        throw IllegalStateException("the dispatcher $dispatcher was shut down", e)
    }
    return outcome.getOrThrow()
}

/** Returns the first exceptions of the cancel requests, and those of [drop]. */
private suspend fun <T> Deferred<Result<T>>.giveUp(
    call: BlockingCall,
    drop: (T) -> Unit,
    mayEndLate: Boolean,
): List<Throwable> {
    var failures = emptyList<Throwable>()
    var patience = FIRST_PATIENCE
    while (!isCompleted) {
        val requests = call.giveUp()
        val failed = requests.mapNotNull { it.exceptionOrNull() }.filterNot { it.saysThatThereIsNothing() }
        if (failures.isEmpty()) failures = failed
        if (mayEndLate && requests.isNotEmpty() && requests.all { it.isRefused() }) {
            invokeOnCompletion { dropLate(drop) }
            return failures
        }
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

/** Drops the result of a call whose caller has gone. A failure to do so is logged. */
@OptIn(ExperimentalCoroutinesApi::class)
private fun <T> Deferred<Result<T>>.dropLate(drop: (T) -> Unit) {
    if (getCompletionExceptionOrNull() != null) return
    val outcome = getCompleted().getOrElse { return }
    runCatching { drop(outcome) }.onFailure {
        System.getLogger("org.arbalest.adbc.coroutines").log(System.Logger.Level.ERROR,
            "the result of a call that was cancelled, and that its driver could not cancel, was not closed", it)
    }
}

private val Throwable.status: AdbcStatus? get() = (this as? AdbcException)?.status()

private fun Result<Unit>.isRefused() = exceptionOrNull()?.status == AdbcStatus.NOT_IMPLEMENTED

/** The call has not begun, has ended, or cannot be cancelled. This is not an error. */
private fun Throwable.saysThatThereIsNothing() =
    status == AdbcStatus.INVALID_STATE || status == AdbcStatus.NOT_IMPLEMENTED

/**
 * Runs [action] on [dispatcher], even if the coroutine is cancelled, and returns its result or throws its exception.
 * With `NonCancellable + dispatcher` a cancellation would replace the result on the return to the caller. A dispatcher
 * that was shut down runs nothing; then [action] runs on another thread that may block.
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

/**
 * Runs [block] with this object in the caller's context, and closes it on [dispatcher], where that may block. If both
 * fail, the exception of the close is suppressed in the block's.
 */
internal suspend fun <C : AutoCloseable, T> C.useOn(dispatcher: CoroutineDispatcher, block: suspend (C) -> T): T {
    val answer = try {
        block(this)
    } catch (t: Throwable) {
        uncancelled(dispatcher) {
            try {
                close()
            } catch (e: Exception) {
                t.addSuppressed(e)
            }
        }
        throw t
    }
    uncancelled(dispatcher) { close() }
    return answer
}
