package org.arbalest.coroutines

import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.future.await
import kotlinx.coroutines.yield
import org.arbalest.device.AsyncArrayStream
import org.arbalest.device.AsyncTask
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import java.util.concurrent.CompletionException
import java.util.concurrent.Flow.Subscriber
import java.util.concurrent.Flow.Subscription

/**
 * The arrays of this stream as a cold flow that can be collected once.
 *
 *     AsyncArrayStream.connect { handler -> startProducer(handler) }.use { stream ->
 *         stream.asFlow().collect { batch -> … }
 *     }
 *
 * **The flow lends**: each array is open while `emit` runs, and closed afterwards; [LendingFlow] says how to keep one.
 *
 * **Back-pressure.** The producer is asked for [prefetch] tasks, and for more as they are taken; one more is always asked for than is wanted,
 * since some producers send the end only on demand. Tasks wait, not memory: an array is extracted on the collector's thread, when its turn
 * comes. Tasks that nobody collected are discarded.
 *
 * **The end.** Collecting returns when the producer, after its last array, has released the handler. It waits for no release otherwise, as that may
 * come late, or never: an error is thrown as it comes; cancellation, a throw in the collector, and operators that have enough, such as `take`,
 * cancel the stream, and that is all. [AsyncArrayStream.released] tells when the producer has let go, which matters to who is to free something
 * under it.
 *
 * Collecting throws the producer's errno, message and metadata as a [DeviceException], and [IllegalStateException] if the stream was collected
 * before, or [closed][AsyncArrayStream.close]. An array that cannot be extracted is the exception: the stream is cancelled, and what the producer
 * then reports is waited for, since that says why. A flow that is never collected, also
 * because its coroutine was cancelled before it began, leaves the stream to its owner: hence the `use`.
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
 * The tasks of this stream, for who wants their metadata, or to choose which to extract; otherwise like [asFlow]. Each task is closed after
 * its emit, so that one that was not extracted is discarded.
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

/** The tasks that were announced and not taken. */
private class Tasks(private val prefetch: Int) : Subscriber<AsyncTask> {
    // Never full: no more is asked for.
    private val waiting = Channel<AsyncTask>(prefetch, onUndeliveredElement = AsyncTask::close)
    private var taken = 0

    /** Comes with the subscription, or soon after it, from another thread. */
    @Volatile
    private var subscription: Subscription? = null

    @Volatile
    private var cancelled = false

    override fun onSubscribe(subscription: Subscription) {
        this.subscription = subscription
        if (cancelled) subscription.cancel() else subscription.request(prefetch.toLong())
    }

    override fun onNext(task: AsyncTask) {
        if (waiting.trySend(task).isFailure) task.close()
    }

    override fun onError(t: Throwable) {
        waiting.close(t)
    }

    override fun onComplete() {
        waiting.close()
    }

    /** The next task if it is there: most are, and need no continuation. */
    fun poll(): AsyncTask? = waiting.tryReceive().getOrNull()?.also { count() }

    /** Waits for the next task; null is the end. */
    suspend fun next(): AsyncTask? {
        val result = waiting.receiveCatching()
        val task = result.getOrNull()
        if (task == null) {
            result.exceptionOrNull()?.let { throw readable(it) }
        } else {
            count()
        }
        return task
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
        waiting.cancel()
    }
}
