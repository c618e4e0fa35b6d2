// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.delay
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.isActive
import kotlinx.coroutines.launch
import kotlinx.coroutines.runInterruptible
import kotlinx.coroutines.withContext
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceArrayReader
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/**
 * Returns the arrays of this reader as a cold flow that can be collected once.
 *
 * **Ownership.** The flow owns each array. An array is open while `emit` runs; then the flow closes it. [LendingFlow]
 * describes how to keep one, and how to run the reader ahead of its collector. Collecting closes the reader at the end,
 * for every cause: the last array, an error of the stream or of the collector, cancellation. A flow that is never
 * collected leaves the reader to its owner; [discard] closes it, and so does a sink that never begins.
 *
 * **Threads.** The flow pulls and closes the reader on [dispatcher], where these calls may block. It emits and closes
 * the arrays in the collector's context. It pulls one array at a time, and the next one only after this one is closed.
 * The default dispatcher is a separate view of [Dispatchers.IO] for each reader, so any number of blocked pulls cannot
 * delay it. A dispatcher with few threads can deadlock if pulls wait for each other, as those of [asReader] do.
 *
 * **Cancellation.** A suspended collector is cancelled immediately. A collector with a pull in progress waits until the
 * pull returns, because native code cannot be interrupted. The pulling thread is interrupted, so a source in Java or
 * Kotlin can notice. Another thread closes the reader, which requests the source to stop: this cancels a database's
 * query. If the pull still returns an array, the flow closes it; no array is lost.
 *
 * **Errors.** Collecting throws the exceptions of [DeviceArrayReader.next] and of closing the reader. If an error or a
 * cancellation came first, it has the close exception as suppressed. Otherwise the close exception is thrown itself,
 * even if the collector stopped early (`take`, `first`). If a pull was in progress, the source is closed after the
 * pull, and the log reports the exceptions of that close.
 *
 * @throws IllegalStateException if the flow is collected a second time, or the [dispatcher] was shut down; then the
 *     reader is closed on the collector's thread
 */
public fun <A : DeviceArray> DeviceArrayReader<A>.asFlow(
    dispatcher: CoroutineDispatcher = Dispatchers.IO.limitedParallelism(1),
): LendingFlow<A> {
    val once = OneCollection(this)
    val arrays = flow {
        once.begin()
        val pulls = Pulls(this@asFlow, dispatcher, currentCoroutineContext()[Job])
        var failure: Throwable? = null
        try {
            while (true) {
                val array = pulls.next() ?: break
                array.use { emit(it) }
            }
        } catch (t: Throwable) {
            failure = t
            throw t
        } finally {
            pulls.close(failure)
        }
    }
    return LendingFlow(arrays, { it.like(it.move()) }, once::discard)
}

/**
 * The time that a cancelled pull has to return before the source is requested to stop again. It doubles each time, up
 * to [LAST_PATIENCE].
 */
private val FIRST_PATIENCE = 10.milliseconds
private val LAST_PATIENCE = 1.seconds

/**
 * The pulls of one collection. When the collector is cancelled during a pull, the reader is closed (STR-11). The close
 * repeats until the pull returns, because the request may come before the source begins to wait.
 */
private class Pulls<A : DeviceArray>(
    private val reader: DeviceArrayReader<A>,
    private val dispatcher: CoroutineDispatcher,
    collector: Job?,
) {
    /** Completes as soon as the collector is cancelled; the collector itself completes only after its pull. */
    private val watch = Job(collector)

    private val lock = Any()
    private var isPulling = false
    private var closing: Job? = null

    /**
     * The first exception from closing the reader. [closing] writes it; other code reads it after [closing] has ended.
     */
    private var failed: Throwable? = null

    init {
        watch.invokeOnCompletion { if (it != null) giveUp() }
    }

    private fun giveUp() = synchronized(lock) {
        if (!isPulling) return@synchronized
        // Not on the dispatcher, which the pull may block, and not in the cancelling thread: closing may block.
        closing = CoroutineScope(Dispatchers.IO.limitedParallelism(1)).launch {
            var patience = FIRST_PATIENCE
            while (true) {
                try {
                    reader.close()
                } catch (t: Throwable) {
                    if (failed == null) failed = t
                }
                delay(patience)
                patience = minOf(patience * 2, LAST_PATIENCE)
            }
        }
    }

    suspend fun next(): A? {
        synchronized(lock) { isPulling = true }
        try {
            return reader.pull(dispatcher)
        } finally {
            val begun = synchronized(lock) {
                isPulling = false
                closing
            }
            if (begun != null) withContext(NonCancellable) { begun.cancelAndJoin() }
        }
    }

    /**
     * Closes the reader on the dispatcher. If the collection failed, or its job was cancelled, the close exception is
     * added to that cause as suppressed. A [CancellationException] without a cancelled job comes from an operator such
     * as `take` or `first` that stopped early, and the caller never receives it; then the close exception is thrown
     * itself.
     */
    suspend fun close(failure: Throwable?) {
        watch.complete()
        try {
            reader.closeOn(dispatcher)
        } catch (t: Throwable) {
            if (failed == null) failed = t
        }
        val thrown = failed ?: return
        if (failure == null || failure is CancellationException && currentCoroutineContext().isActive) throw thrown
        failure.addSuppressed(thrown)
    }
}

private suspend fun DeviceArrayReader<*>.closeOn(dispatcher: CoroutineDispatcher) {
    try {
        // Not NonCancellable + dispatcher: the return to the caller would throw the cancellation.
        withContext(NonCancellable) { withContext(dispatcher) { close() } }
    } catch (_: CancellationException) {
        close() // in case it was not closed: a dispatcher that was shut down runs nothing
    }
}

/**
 * Returns the next array. If the cancellation comes between the pull and the return to the caller's thread, the array
 * is closed, not lost. An exception that the reader throws because of the interrupt is not reported as a failure.
 */
private suspend fun <A : DeviceArray> DeviceArrayReader<A>.pull(dispatcher: CoroutineDispatcher): A? {
    var pulled: A? = null
    try {
        runInterruptible(dispatcher) { pulled = next() }
    } catch (t: Throwable) {
        pulled?.close()
        currentCoroutineContext().ensureActive()
        // The coroutine is not cancelled: a dispatcher that was shut down also throws CancellationException.
        if (t is CancellationException) throw IllegalStateException("the dispatcher $dispatcher was shut down", t)
        throw t
    }
    return pulled
}
