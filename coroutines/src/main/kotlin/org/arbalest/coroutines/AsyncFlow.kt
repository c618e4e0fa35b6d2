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
import org.arbalest.device.DeviceException
import org.arbalest.device.RecordBatch
import org.arbalest.device.async.AsyncArrayStream
import org.arbalest.device.async.AsyncTask
import java.util.concurrent.CompletionException
import java.util.concurrent.Flow.Subscriber
import java.util.concurrent.Flow.Subscription
import java.util.concurrent.atomic.AtomicReference
import java.util.concurrent.atomic.AtomicReferenceArray
import kotlin.coroutines.resume

/**
 * Returns the arrays of this stream as a cold flow that can be collected once.
 *
 *     CData.importAsyncStream(CImport.DEVICE) { handler -> startProducer(handler) }.use { stream ->
 *         stream.asFlow().collect { batch -> … }
 *     }
 *
 * **Ownership.** The flow owns each array. An array is open while `emit` runs; then the flow closes it. [LendingFlow]
 * describes how to keep one.
 *
 * **Back-pressure.** The flow requests [prefetch] tasks, and requests more as the collector takes them. It always has
 * at least one request outstanding, because some producers send end-of-stream only on demand. Only tasks wait, not
 * their data: the flow extracts each array on the collector's thread, immediately before its `emit`. The flow discards
 * the tasks that the collector did not take.
 *
 * **The end.** Collecting returns when the producer has released the handler after its last array. In all other cases
 * collecting does not wait for the release, which may come late or never. An error is thrown as soon as it arrives.
 * Cancellation, an exception in the collector, and operators that stop early, such as `take`, only cancel the stream. A
 * caller that must free a resource of the producer waits for [AsyncArrayStream.released].
 *
 * **Errors.** Collecting throws a [DeviceException] with the producer's errno, message and metadata. It throws
 * [IllegalStateException] if the stream was collected before, or is [closed][AsyncArrayStream.close]. If an array
 * cannot be extracted, the flow cancels the stream and waits for the release, because the producer then reports the
 * cause.
 *
 * A flow that is never collected does not close the stream. This includes a coroutine that is cancelled before it
 * begins. The stream stays with its owner, so wrap it in `use`, or call [discard], as a sink that never begins does.
 *
 * @param prefetch the maximum number of tasks that wait to be collected; at least 1
 * @throws IllegalArgumentException if [prefetch] is less than 1
 */
public fun AsyncArrayStream.asFlow(prefetch: Int = DEFAULT_PREFETCH): LendingFlow<RecordBatch> {
    requirePrefetch(prefetch)
    val once = OneCollection(this)
    val arrays = flow {
        collectTasks(prefetch, once) { task, tasks ->
            val array = try {
                task.extract()
            } catch (e: DeviceException) {
                throw tasks.reported(this@asFlow, e)
            }
            array.use { emit(it) }
        }
    }
    return LendingFlow(arrays, RecordBatch::move, once::discard)
}

/**
 * Returns the tasks of this stream as a cold flow that can be collected once. Use it to read the tasks' metadata, or to
 * choose which tasks to extract. The flow closes each task after its `emit`; this discards a task that was not
 * extracted.
 *
 *     ticks.asTaskFlow().collect { task ->
 *         if ("late" !in task.metadata()["kind"].orEmpty()) task.extract().use { … }
 *     }
 *
 * In all other respects it is like [asFlow].
 *
 * @param prefetch the maximum number of tasks that wait to be collected; at least 1
 * @throws IllegalArgumentException if [prefetch] is less than 1
 */
public fun AsyncArrayStream.asTaskFlow(prefetch: Int = DEFAULT_PREFETCH): LendingFlow<AsyncTask> {
    requirePrefetch(prefetch)
    val once = OneCollection(this)
    return LendingFlow(flow { collectTasks(prefetch, once) { task, _ -> emit(task) } }, AsyncTask::move, once::discard)
}

private const val DEFAULT_PREFETCH = 16

/**
 * A collector that never suspends yields after this many tasks, so that other coroutines of its thread can run, such as
 * the timeout that cancels it.
 */
private const val TASKS_PER_YIELD = 256

private const val TASKS_PER_CHUNK = 32

private fun requirePrefetch(prefetch: Int) = require(prefetch >= 1) { "prefetch is at least 1, not $prefetch" }

private suspend inline fun AsyncArrayStream.collectTasks(
    prefetch: Int,
    once: OneCollection,
    action: (AsyncTask, Tasks) -> Unit,
) {
    once.begin()
    val tasks = Tasks(prefetch)
    subscribe(tasks)
    var seen = 0
    try {
        while (true) {
            val task = tasks.poll() ?: tasks.next() ?: break
            task.use { action(it, tasks) }
            if (++seen % TASKS_PER_YIELD == 0) yield()
        }
        val _ = awaitRelease() // a failure was thrown above
    } finally {
        tasks.cancel()
    }
}

/** Waits until the producer releases the handler, and returns its failure; null if it did not fail. */
private suspend fun AsyncArrayStream.awaitRelease(): Throwable? =
    released().handle { _, t -> if (t is CompletionException) t.cause else t }.await()

/**
 * The tasks that the stream has announced and the collector has not taken: a linked list of chunks. Callbacks add
 * tasks, and the collector takes them. At most [prefetch] tasks are requested ahead.
 */
private class Tasks(private val prefetch: Int) : Subscriber<AsyncTask> {
    private class Chunk : AtomicReferenceArray<AsyncTask?>(TASKS_PER_CHUNK) {
        @Volatile
        var next: Chunk? = null
    }

    // Owned by the collector until it cancels; then guarded by this.
    private var first = Chunk()
    private var position = 0
    private var taken = 0

    // Owned by the callbacks, which are serialised.
    private var last = first
    private var free = 0

    /** The suspended collector. The thread that removes it from here resumes it. */
    private val waiting = AtomicReference<CancellableContinuation<Unit>?>()

    /** Set with the subscription or shortly after it, by another thread. */
    @Volatile
    private var subscription: Subscription? = null

    @Volatile
    private var cancelled = false

    /** The result of the stream, set after the last task; null before. */
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
        last[free++] = task // before the checks: a thread that cancels or waits meanwhile sees it
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

    /** Returns the next task without a continuation, or null if none is available. Most tasks are available. */
    fun poll(): AsyncTask? = remove()?.also { count() }

    /** Suspends until the next task is available, and returns it; null at the end of the stream. */
    suspend fun next(): AsyncTask? {
        while (true) {
            val ended = end // before the poll: a task that came before the end is taken first
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

    /** Closes the tasks outside the lock, because native code may wait for another thread that enters this class. */
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
        // Before the extraction, while the producer can certainly accept a request.
        subscription?.request(taken.toLong())
        taken = 0
    }

    private suspend fun readable(t: Throwable): Throwable {
        currentCoroutineContext().ensureActive()
        // The coroutine is not cancelled, so it must not end with a CancellationException.
        return if (t is CancellationException) IllegalStateException(t.message, t) else t
    }

    /**
     * Returns the exception for an extraction that failed, with the error that the producer reports to the stream
     * (ASY-18).
     */
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
