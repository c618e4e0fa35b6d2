// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.support

import org.arbalest.device.async.AsyncArrayStream
import org.arbalest.device.async.AsyncQuirk
import org.arbalest.device.async.AsyncTask
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import org.arbalest.support.Emulator
import org.arbalest.support.PeerProducer
import java.util.concurrent.CancellationException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionException
import java.util.concurrent.CompletionStage
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.ExecutionException
import java.util.concurrent.Executor
import java.util.concurrent.Flow
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.atomic.AtomicLong

/**
 * Imports the producer's stream. With [threaded], the producer runs on its own thread, because its start function
 * returns only after the stream has ended.
 */
internal fun PeerProducer.connect(vararg quirks: AsyncQuirk, threaded: Boolean = false): AsyncArrayStream =
    CData.importAsyncStream(CImport.DEVICE.quirks(*quirks),
        { handler -> if (threaded) Thread.ofPlatform().start { start(handler) } else start(handler) })

/** Returns the result of a stage, or the error with which it failed. */
internal fun <T> CompletionStage<T>.outcome(): Result<T> =
    try {
        Result.success(toCompletableFuture().get(5L * Emulator.patience, SECONDS))
    } catch (e: CancellationException) {
        Result.failure(e)
    } catch (e: ExecutionException) {
        Result.failure(e.cause.let { if (it is CompletionException) it.cause!! else it!! })
    }

/**
 * A subscriber that requests [window] tasks, and one more after each task. It passes each task to [onTask], on
 * [executor]. By default, it reads the column `id` on the thread that signals the task.
 */
internal class AsyncCollector(
    private val window: Long = 5,
    private val executor: Executor = Executor { it.run() },
    private val onTask: AsyncCollector.(AsyncTask) -> Unit = { read(it) },
) : Flow.Subscriber<AsyncTask> {
    val ids = CopyOnWriteArrayList<List<Long>>()
    val tasks = AtomicLong()
    val done = CompletableFuture<Unit>()
    private val subscribed = CompletableFuture<Flow.Subscription>()

    /**
     * The subscription. Reading it waits, because the producer may deliver it from another thread after `subscribe` has
     * returned.
     */
    val subscription: Flow.Subscription get() = subscribed.get(5L * Emulator.patience, SECONDS)

    fun read(task: AsyncTask) {
        task.extract().use { ids += it.column("id").toLongArray().toList() }
    }

    override fun onSubscribe(subscription: Flow.Subscription) {
        subscribed.complete(subscription)
        if (window > 0) subscription.request(window)
    }

    override fun onNext(task: AsyncTask) {
        tasks.incrementAndGet()
        executor.execute {
            try {
                onTask(task)
                if (window > 0) subscription.request(1)
            } catch (t: Throwable) {
                subscription.cancel()
                done.completeExceptionally(t)
            }
        }
    }

    override fun onError(t: Throwable) {
        done.completeExceptionally(t)
    }

    override fun onComplete() {
        executor.execute { done.complete(Unit) }
    }
}
