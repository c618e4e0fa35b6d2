// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import kotlinx.coroutines.CancellableContinuation
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.future.await
import kotlinx.coroutines.suspendCancellableCoroutine
import kotlinx.coroutines.yield
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.async.AsyncArrayStream
import org.arbalest.device.async.AsyncTask
import java.util.concurrent.CompletionException
import java.util.concurrent.Flow.Subscriber
import java.util.concurrent.Flow.Subscription
import java.util.concurrent.atomic.AtomicReference
import java.util.concurrent.atomic.AtomicReferenceArray
import kotlin.coroutines.resume

/**
 * The arrays of this stream as a cold flow that can be collected once.
 *
 *     CData.importAsyncStream(CImport.DEVICE) { handler -> startProducer(handler) }.use { stream ->
 *         stream.asFlow().collect { batch -> … }
 *     }
 *
 * **The flow lends**: each array is open while `emit` runs, and closed afterwards; [LendingFlow] says how to keep one.
 *
 * **Back-pressure.** The producer is asked for [prefetch] tasks, and for more as they are taken; one more is always
 * asked for than is wanted, since some producers send the end only on demand. Tasks wait, not memory: an array is
 * extracted on the collector's thread, when its turn comes. Tasks that nobody collected are discarded.
 *
 * **The end.** Collecting returns when the producer, after its last array, has released the handler. It waits for no
 * release otherwise, as that may come late, or never: an error is thrown as it comes; cancellation, a throw in the
 * collector, and operators that have enough, such as `take`, cancel the stream, and that is all.
 * [AsyncArrayStream.released] tells when the producer has let go, which matters to who is to free something under it.
 *
 * Collecting throws the producer's errno, message and metadata as a [DeviceException], and [IllegalStateException] if
 * the stream was collected before, or [closed][AsyncArrayStream.close]. An array that cannot be extracted is the
 * exception: the stream is cancelled, and what the producer then reports is waited for, since that says why. A flow
 * that is never collected, also because its coroutine was cancelled before it began, leaves the stream to its owner:
 * hence the `use`.
 *
 * @param prefetch how many tasks may wait to be collected; at least 1
 */
public fun AsyncArrayStream.asFlow(prefetch: Int = DEFAULT_PREFETCH): LendingFlow<DeviceArray> {
    requirePrefetch(prefetch)
    val arrays = flow {
        collectTasks(prefetch) { task, tasks ->
            val array = try {
                task.extract()
            } catch (e: DeviceException) {
                throw tasks.reported(this@asFlow, e)
            }
            array.use { emit(it) }
        }
    }
    return LendingFlow(arrays, DeviceArray::move)
}

/**
 * The tasks of this stream, for who wants their metadata, or to choose which to extract; otherwise like [asFlow]. Each
 * task is closed after its emit, so that one that was not extracted is discarded.
 *
 *     ticks.asTaskFlow().collect { task ->
 *         if ("late" !in task.metadata()["kind"].orEmpty()) task.extract().use { … }
 *     }
 */
public fun AsyncArrayStream.asTaskFlow(prefetch: Int = DEFAULT_PREFETCH): LendingFlow<AsyncTask> {
    requirePrefetch(prefetch)
    return LendingFlow(flow { collectTasks(prefetch) { task, _ -> emit(task) } }, AsyncTask::move)
}

private const val DEFAULT_PREFETCH = 16

/** A collector that never has to wait lets others on its thread have a turn, such as the timeout that is to end it. */
private const val TASKS_PER_YIELD = 256

private const val TASKS_PER_CHUNK = 32

private fun requirePrefetch(prefetch: Int) = require(prefetch >= 1) { "prefetch is at least 1, not $prefetch" }

private suspend inline fun AsyncArrayStream.collectTasks(prefetch: Int, action: (AsyncTask, Tasks) -> Unit) {
    val tasks = Tasks(prefetch)
    subscribe(tasks)
    var seen = 0
    try {
        while (true) {
            val task = tasks.poll() ?: tasks.next() ?: break
            task.use { action(it, tasks) }
            if (++seen % TASKS_PER_YIELD == 0) yield()
        }
        awaitRelease()
    } finally {
        tasks.cancel()
    }
}

/** What the producer failed with, if it did, once the handler is released. */
private suspend fun AsyncArrayStream.awaitRelease(): Throwable? =
    released().handle { _, t -> if (t is CompletionException) t.cause else t }.await()

/**
 * The tasks that were announced and not taken: a list of chunks, to which callbacks add, and from which the collector
 * takes. No more are asked for than it is to hold.
 */
private class Tasks(private val prefetch: Int) : Subscriber<AsyncTask> {
    private class Chunk : AtomicReferenceArray<AsyncTask?>(TASKS_PER_CHUNK) {
        @Volatile
        var next: Chunk? = null
    }

    // Of the collector, until it cancels; then guarded by this.
    private var first = Chunk()
    private var position = 0
    private var taken = 0

    // Of the callbacks, which are serialised.
    private var last = first
    private var free = 0

    /** The collector that waits; whoever takes it away resumes it. */
    private val waiting = AtomicReference<CancellableContinuation<Unit>?>()

    /** Comes with the subscription, or soon after it, from another thread. */
    @Volatile
    private var subscription: Subscription? = null

    @Volatile
    private var cancelled = false

    /** How the stream ended, after the last task; null before. */
    @Volatile
    private var end: Result<Unit>? = null

    override fun onSubscribe(subscription: Subscription) {
        this.subscription = subscription
        if (cancelled) subscription.cancel() else subscription.request(prefetch.toLong())
    }

    override fun onNext(task: AsyncTask) {
        if (free == TASKS_PER_CHUNK) {
            last = Chunk().also { last.next = it }
            free = 0
        }
        last[free++] = task // before the looks: who cancels or waits meanwhile sees it
        if (cancelled) discard() else wake()
    }

    override fun onError(t: Throwable) {
        end = Result.failure(t)
        wake()
    }

    override fun onComplete() {
        end = Result.success(Unit)
        wake()
    }

    private fun wake() {
        if (waiting.get() != null) waiting.getAndSet(null)?.resume(Unit)
    }

    /** The next task if it is there: most are, and need no continuation. */
    fun poll(): AsyncTask? = remove()?.also { count() }

    /** Waits for the next task; null is the end. */
    suspend fun next(): AsyncTask? {
        while (true) {
            val ended = end // before the look: what comes first is taken first
            poll()?.let { return it }
            if (ended != null) {
                ended.exceptionOrNull()?.let { throw readable(it) }
                return null
            }
            suspendCancellableCoroutine {
                waiting.set(it)
                if (peek() != null || end != null) wake()
            }
        }
    }

    private fun peek(): AsyncTask? {
        if (position == TASKS_PER_CHUNK) {
            first = first.next ?: return null
            position = 0
        }
        return first[position]
    }

    private fun remove(): AsyncTask? = peek()?.also { first.lazySet(position++, null) }

    /** Outside of the lock: C may wait for another thread that comes here. */
    private fun discard() {
        var failure: Throwable? = null
        while (true) {
            val task = synchronized(this) { remove() } ?: break
            try {
                task.close()
            } catch (t: Throwable) {
                failure?.addSuppressed(t) ?: run { failure = t }
            }
        }
        failure?.let { throw it }
    }

    private fun count() {
        if (++taken < (prefetch + 1) / 2) return
        // Before the extraction, when the producer certainly can be asked.
        subscription?.request(taken.toLong())
        taken = 0
    }

    private suspend fun readable(t: Throwable): Throwable {
        currentCoroutineContext().ensureActive()
        // Nobody cancelled the coroutine: it must not end as if somebody had.
        return if (t is CancellationException) IllegalStateException(t.message, t) else t
    }

    /** An extraction that failed, with what the producer says about it to the stream (ASY-18). */
    suspend fun reported(arrays: AsyncArrayStream, e: DeviceException): DeviceException {
        cancel()
        val report = arrays.awaitRelease() as? DeviceException ?: return e
        return DeviceException(report.errno(), report.message.orEmpty(), e, report.metadata())
    }

    fun cancel() {
        cancelled = true
        subscription?.cancel()
        discard()
    }
}
