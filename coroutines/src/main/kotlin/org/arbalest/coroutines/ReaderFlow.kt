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
import java.util.concurrent.atomic.AtomicBoolean
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/**
 * The arrays of this reader as a cold flow that can be collected once.
 *
 * **The flow lends**: each array is open while `emit` runs, and closed afterwards; [LendingFlow] says how to keep one,
 * and how to let the reader run ahead of its collector.
 *
 * **Threads.** The reader is pulled and closed on [dispatcher], where it may block; the arrays are emitted and closed
 * in the collector's context. One array is pulled at a time, and the next only after this one is closed. By default the
 * reader has a view of [Dispatchers.IO] of its own, which is not held up by other pulls, however many of them wait. A
 * dispatcher whose threads are few may come to a standstill where pulls wait for each other, as those of [asReader] do.
 *
 * **The end.** Collecting closes the reader when it ends for whatever reason: the last array, an error of the stream or
 * of the collector, cancellation. A collector that is suspended is cancelled at once. One for which a pull is under way
 * waits for the pull to return, as C cannot be interrupted; its thread is, so that a source in Java or Kotlin can
 * notice, and the reader is closed by another thread, which asks the source to give up: a database's query is cancelled
 * by that. An array that the pull still brings is closed, never lost. A flow that is never collected leaves the reader
 * to its owner.
 *
 * Collecting throws what [DeviceArrayReader.next] throws, and what closing the reader throws: as suppressed, if there
 * was an error or a cancellation, and by itself otherwise, also where the collector had enough (`take`, `first`). Where
 * a pull was under way then, its source is closed behind the pull, and what that throws the log says. It throws
 * [IllegalStateException] for the second time, or if the [dispatcher] was shut down; the reader is then closed on the
 * collector's thread.
 */
public fun DeviceArrayReader.asFlow(
    dispatcher: CoroutineDispatcher = Dispatchers.IO.limitedParallelism(1),
): LendingFlow<DeviceArray> {
    val collected = AtomicBoolean()
    val arrays = flow {
        check(collected.compareAndSet(false, true)) {
            "a reader's flow can be collected once, and was: its arrays are gone"
        }
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
    return LendingFlow(arrays, DeviceArray::move)
}

/**
 * How long a pull that is to be given up has to return until the source is asked again: twice as long each time, up to
 * the second of these.
 */
private val FIRST_PATIENCE = 10.milliseconds
private val LAST_PATIENCE = 1.seconds

/**
 * The pulls of one collection, of which one that is under way is given up when the collector is cancelled: then the
 * reader is closed (STR-11), again and again, since a source may be asked before it waits.
 */
private class Pulls(
    private val reader: DeviceArrayReader,
    private val dispatcher: CoroutineDispatcher,
    collector: Job?,
) {
    /** Over as soon as the collector is cancelled, which itself is not before its pull is. */
    private val watch = Job(collector)

    private val lock = Any()
    private var isPulling = false
    private var closing: Job? = null

    /** What closing the reader failed with first. Written by [closing], read behind it. */
    private var failed: Throwable? = null

    init {
        watch.invokeOnCompletion { if (it != null) giveUp() }
    }

    private fun giveUp() = synchronized(lock) {
        if (!isPulling) return@synchronized
        // Neither on the dispatcher, which the pull may fill, nor in the thread that cancels: closing may block.
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

    suspend fun next(): DeviceArray? {
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
     * Closes the reader on the dispatcher. A failure says why the collection ended, and so does a cancellation of its
     * job: what closing throws is added to it. A [CancellationException] without one is how operators such as `take`
     * and `first` end a flow, and tell nobody.
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

private suspend fun DeviceArrayReader.closeOn(dispatcher: CoroutineDispatcher) {
    try {
        // Not NonCancellable + dispatcher: a cancellation would be thrown on the way back.
        withContext(NonCancellable) { withContext(dispatcher) { close() } }
    } catch (_: CancellationException) {
        close() // if it was not: a dispatcher that was shut down runs nothing
    }
}

/**
 * The next array. None is lost if the cancellation comes between the pull and the return to the caller's thread, and
 * what the reader makes of the interrupt is not mistaken for a failure.
 */
private suspend fun DeviceArrayReader.pull(dispatcher: CoroutineDispatcher): DeviceArray? {
    var pulled: DeviceArray? = null
    try {
        runInterruptible(dispatcher) { pulled = next() }
    } catch (t: Throwable) {
        pulled?.close()
        currentCoroutineContext().ensureActive()
        // Nobody cancelled the coroutine: dispatchers answer so when they run nothing any more.
        if (t is CancellationException) throw IllegalStateException("the dispatcher $dispatcher was shut down", t)
        throw t
    }
    return pulled
}
