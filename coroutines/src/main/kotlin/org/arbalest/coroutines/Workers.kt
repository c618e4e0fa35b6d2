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
 * Coroutines in [scope], up to [concurrency] at a time, each of which owns its element. If one fails, the scope fails.
 */
internal class Workers(private val scope: CoroutineScope, concurrency: Int, private val context: CoroutineContext) {
    private val free = Semaphore(concurrency)

    /**
     * Waits until a coroutine may start, and starts it. The coroutine takes [item] with [move], and passes the result
     * of [work] to [give].
     */
    @OptIn(DelicateCoroutinesApi::class) // ATOMIC
    suspend fun <T : AutoCloseable, R> start(item: T, move: (T) -> T, work: suspend (T) -> R, give: (R) -> Unit) {
        free.acquire()
        val own = move(item)
        // Runs even if it is cancelled before it begins, so that the element is closed.
        scope.launch(context, CoroutineStart.ATOMIC) {
            try {
                own.use {
                    ensureActive()
                    give(work(it)) // before the close, which may fail
                }
            } catch (e: CancellationException) {
                throw endingBy(e)
            } finally {
                free.release()
            }
        }
    }

    /**
     * Cancels the scope if the worker cancelled itself, for example by a timeout in its code: otherwise `launch` would
     * end only this worker, and report nothing.
     */
    private fun endingBy(e: CancellationException): Throwable {
        if (!scope.isActive) return e
        if (generateSequence<Throwable>(e) { it.cause }.any { it is RejectedExecutionException })
            return IllegalStateException("the dispatcher in $context was shut down", e)
        scope.cancel(e)
        return e
    }
}

/**
 * A place for the result of one worker, for one reader. It closes a result that no reader takes, if it is closeable.
 */
internal class Slot<R> {
    private val channel = Channel<R>(1, onUndeliveredElement = ::close)

    /** Stores the result. Called once. */
    fun put(result: R) {
        if (!channel.trySend(result).isSuccess) close(result)
    }

    suspend fun take(): R = channel.receive()

    /** Closes the result, now or when it arrives: no reader takes it. */
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
