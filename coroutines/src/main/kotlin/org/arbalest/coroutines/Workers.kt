// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.DelicateCoroutinesApi
import kotlinx.coroutines.Job
import kotlinx.coroutines.cancel
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.isActive
import kotlinx.coroutines.launch
import kotlinx.coroutines.sync.Semaphore
import java.util.concurrent.RejectedExecutionException
import kotlin.coroutines.CoroutineContext

internal fun requireWorkers(concurrency: Int, context: CoroutineContext) {
    require(concurrency >= 1) { "concurrency is at least 1, not $concurrency" }
    require(context[Job] == null) { "the context of parallel workers cannot contain a job" }
}

/**
 * Coroutines of [scope], up to [concurrency] at a time, each of which owns the element that it works on. A failure of
 * one ends the scope.
 */
internal class Workers(private val scope: CoroutineScope, concurrency: Int, private val context: CoroutineContext) {
    private val free = Semaphore(concurrency)

    /**
     * Waits until one may start, and starts it: it takes [item] by [move], and passes what [work] makes of it to
     * [give].
     */
    @OptIn(DelicateCoroutinesApi::class) // ATOMIC
    suspend fun <T : AutoCloseable, R> start(item: T, move: (T) -> T, work: suspend (T) -> R, give: (R) -> Unit) {
        free.acquire()
        val own = move(item)
        // Runs in any case, also if it is cancelled before it begins: that closes the element.
        scope.launch(context, CoroutineStart.ATOMIC) {
            try {
                own.use {
                    ensureActive()
                    give(work(it)) // at once: closing may fail
                }
            } catch (e: CancellationException) {
                throw endingBy(e)
            } finally {
                free.release()
            }
        }
    }

    /**
     * Ends the scope where the cancellation is the worker's own, such as a timeout of its code: `launch` would end this
     * worker only, and say nothing.
     */
    private fun endingBy(e: CancellationException): Throwable {
        if (!scope.isActive) return e
        if (generateSequence<Throwable>(e) { it.cause }.any { it is RejectedExecutionException })
            return IllegalStateException("the dispatcher in $context was shut down", e)
        scope.cancel(e)
        return e
    }
}

/** Where a worker puts its result, for one reader; closes a result that nobody takes, if it can be closed. */
internal class Slot<R> {
    private val channel = Channel<R>(1, onUndeliveredElement = ::close)

    /** Takes the result, the only one. */
    fun put(result: R) {
        if (!channel.trySend(result).isSuccess) close(result)
    }

    suspend fun take(): R = channel.receive()

    /** Nobody takes the result any more. */
    fun cancel() = channel.cancel()

    private fun close(result: R) {
        (result as? AutoCloseable)?.close()
    }
}

/** The reading side of a slot. Its owner takes the result, or closes it. */
internal class Pending<R>(private var slot: Slot<R>?) : AutoCloseable {
    suspend fun take(): R = checkNotNull(slot).take()

    fun move(): Pending<R> = Pending(slot).also { slot = null }

    override fun close() {
        slot?.cancel()
    }
}
