// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.isActive
import kotlinx.coroutines.runInterruptible
import kotlinx.coroutines.withContext
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceArrayReader
import java.util.concurrent.atomic.AtomicBoolean

/**
 * The arrays of this reader as a cold flow that can be collected once.
 *
 * **The flow lends**: each array is open while `emit` runs, and closed afterwards; [LendingFlow] says how to keep one, and how to let the reader run
 * ahead of its collector.
 *
 * **Threads.** The reader is pulled and closed on [dispatcher], where it may block; the arrays are emitted and closed in
 * the collector's context. One array is pulled at a time, and the next only after this one is closed. By default
 * the reader has a view of [Dispatchers.IO] of its own, which is not held up by other pulls, however many of them wait. A
 * dispatcher whose threads are few may come to a standstill where pulls wait for each other, as those of [asReader] do.
 *
 * **The end.** Collecting closes the reader when it ends for whatever reason: the last array, an error of the stream or
 * of the collector, cancellation. A collector that is suspended is cancelled at once. One for which a pull is under way
 * waits for the pull to return, as C cannot be interrupted; its thread is, so that a source in Java or Kotlin can
 * notice. An array that it still brings is closed, never lost. A flow that is never collected leaves the reader to
 * its owner.
 *
 * Collecting throws what [DeviceArrayReader.next] throws, and what closing the reader throws: as suppressed, if there was an error or a cancellation,
 * and by itself otherwise, also where the collector had enough (`take`, `first`). It throws [IllegalStateException] for the second time, or if the
 * [dispatcher] was shut down; the reader is then closed on the collector's thread.
 */
public fun DeviceArrayReader.asFlow(dispatcher: CoroutineDispatcher = Dispatchers.IO.limitedParallelism(1)): LendingFlow<DeviceArray> {
    val collected = AtomicBoolean()
    val arrays = flow {
        check(collected.compareAndSet(false, true)) { "a reader's flow can be collected once, and was: its arrays are gone" }
        var failure: Throwable? = null
        try {
            while (true) {
                val array = pull(dispatcher) ?: break
                array.use { emit(it) }
            }
        } catch (t: Throwable) {
            failure = t
            throw t
        } finally {
            close(dispatcher, failure)
        }
    }
    return LendingFlow(arrays, DeviceArray::move)
}

/**
 * Closes the reader on [dispatcher]. A failure says why the collection ended, and so does a cancellation of its job: what closing throws is added to
 * it. A [CancellationException] without one is how operators such as `take` and `first` end a flow, and tell nobody.
 */
private suspend fun DeviceArrayReader.close(dispatcher: CoroutineDispatcher, failure: Throwable?) {
    try {
        try {
            withContext(NonCancellable + dispatcher) { close() }
        } catch (_: CancellationException) {
            close() // if it was not: a dispatcher that was shut down runs nothing
        }
    } catch (t: Throwable) {
        if (failure == null || failure is CancellationException && currentCoroutineContext().isActive) throw t
        failure.addSuppressed(t)
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
