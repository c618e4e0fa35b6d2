// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.asExecutor
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.future.await
import kotlinx.coroutines.withContext
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.async.AsyncProducer
import org.arbalest.device.async.AsyncQuirk
import org.arbalest.device.async.AsyncSchema
import org.arbalest.device.async.AsyncTask
import org.arbalest.device.async.WakingSubscription
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.types.Metadata
import org.arbalest.device.types.Schema
import java.lang.foreign.MemorySegment
import java.util.concurrent.CompletionStage
import java.util.concurrent.Flow.Publisher
import java.util.concurrent.Flow.Subscriber
import java.util.concurrent.Flow.Subscription
import java.util.concurrent.atomic.AtomicLong
import kotlin.coroutines.ContinuationInterceptor
import kotlin.coroutines.CoroutineContext

/**
 * Drives an `ArrowAsyncDeviceStreamHandler` with the record batches of this flow, and returns when the consumer's
 * handler is released.
 *
 *     lendingFlow { for (day in days) emit(device.batch(…) { … }) }.produceTo(handler, schema)
 *
 * **Ownership of arrays.** From its `emit` on, an array belongs to the stream, as with [asReader], even if the `emit`
 * fails: the consumer extracts it, or the stream closes it. Closing it again after the `emit` has no effect. A plain
 * `flow` that is cancelled by its scope throws instead of emitting, and loses the array that it has just made;
 * [lendingFlow] does not.
 *
 * **Ownership of the handler.** This call takes the handler, and releases it at the end, even if the call fails. A
 * coroutine that is cancelled before it begins never makes this call: then the handler is never released, nor is the
 * flow [discarded][discard]. So start the coroutine immediately:
 *
 *     scope.launch(start = CoroutineStart.UNDISPATCHED) { batches.produceTo(handler, schema) }
 *
 * **Back-pressure.** Each `emit` suspends until the consumer has requested the array.
 *
 * **Threads.** The flow is collected in this coroutine's context. An array is announced on the thread that emits it,
 * and exported on the thread on which the consumer extracts it. The other callbacks run on [Dispatchers.Default]. No
 * callback runs inside a call by the consumer, and no two callbacks run at the same time.
 *
 * **The end.** This call returns at the end of the flow. It also ends if the consumer cancels or answers with an error.
 * Such a consumer takes no more arrays: the `emit` that waits, or the next one, throws. A flow that does not emit is
 * cancelled at the same times as after closing the reader of [asReader]: after about 20 ms if it is suspended, later if
 * it runs. The same arrays can be lost.
 *
 * **Errors.** If the flow throws, the consumer's `on_error` receives the errno and the message, with the messages of
 * the causes, and this call throws the same exception. If this coroutine is cancelled, `on_error` receives `ECANCELED`,
 * and this call waits for the release.
 *
 * @param handler a live handler
 * @param schema the schema of every batch
 * @param deviceType the device type of every batch
 * @param metadata the metadata of the stream, for `additional_metadata`
 * @param quirks the known deviations of the consumer from the specification
 * @throws IllegalArgumentException if [handler] is not a handler; then it is not released
 * @throws DeviceException if the consumer answers with an error, with its errno
 */
public suspend fun Flow<RecordBatch>.produceTo(
    handler: MemorySegment,
    schema: Schema,
    deviceType: DeviceType = DeviceType.CPU,
    metadata: Metadata = Metadata.empty(),
    vararg quirks: AsyncQuirk,
): Unit = produceTo(handler, AsyncSchema(schema, deviceType, metadata), *quirks)

/**
 * Drives an `ArrowAsyncDeviceStreamHandler` with the record batches of this flow; see the overload for a
 * schema.
 */
public suspend fun Flow<RecordBatch>.produceTo(
    handler: MemorySegment,
    schema: AsyncSchema,
    vararg quirks: AsyncQuirk,
): Unit =
    drive(RecordBatch::move, { it }) { publisher, executor ->
        CData.exportAsyncStream(AsyncProducer.of(schema, publisher), handler, executor, CExport.DEVICE.quirks(*quirks))
    }

/**
 * Drives an `ArrowAsyncDeviceStreamHandler` with the tasks of this flow, each with its metadata; see [produceTo].
 *
 * A task comes from [AsyncTask.of] or from another stream. A task of another stream is extracted when this stream's
 * consumer extracts it. From its `emit` on, a task belongs to this stream, as arrays do.
 */
public suspend fun Flow<AsyncTask>.produceTasksTo(
    handler: MemorySegment,
    schema: AsyncSchema,
    vararg quirks: AsyncQuirk,
): Unit =
    drive(AsyncTask::move, AsyncTask::move) { publisher, executor ->
        CData.exportAsyncStream(AsyncProducer.ofTasks(schema, publisher), handler, executor,
            CExport.DEVICE.quirks(*quirks))
    }

/**
 * @param signalled returns the object that the subscriber receives for an item that is signalled without waiting: the
 *     array itself, because the stream takes its contents, or a moved task
 */
private suspend fun <T : AutoCloseable> Flow<T>.drive(
    move: (T) -> T,
    signalled: (T) -> T,
    start: (Publisher<T>, java.util.concurrent.Executor) -> CompletionStage<Void>,
) {
    val supply = Supply(currentCoroutineContext().goesOnElsewhere(), move, signalled)
    val stream = start(supply, Dispatchers.Default.asExecutor())
    try {
        coroutineScope {
            val upstream = Upstream.start(this) { upstream ->
                try {
                    collect { supply.emit(it, upstream) }
                    supply.end(null)
                } catch (t: Throwable) {
                    supply.end(t) // also if the flow cancels itself, for example by a timeout: that cancels no scope
                    throw t
                }
            }
            // The consumer cancelled or answered with an error, or the collection has ended.
            stream.whenComplete { _, _ ->
                upstream.stop()
                supply.wake()
            }
        }
    } catch (t: Throwable) {
        supply.end(t)
        withContext(NonCancellable) {
            withContext(Dispatchers.IO) { discardInto(t, ::discard) } // if the collection did not begin
            stream.handle { _, _ -> }.await()
        }
        throw t
    }
    withContext(NonCancellable) { stream.await() }
}

/**
 * Returns whether a resumed coroutine of this context continues on another thread. It does not with
 * [Dispatchers.Unconfined], nor with `Main.immediate` on the main thread.
 */
private fun CoroutineContext.goesOnElsewhere(): Boolean {
    val dispatcher = this[ContinuationInterceptor] ?: Dispatchers.Default
    return dispatcher is CoroutineDispatcher && dispatcher.isDispatchNeeded(this)
}

/**
 * Publishes the items of one coroutine to one subscriber.
 *
 * @param elsewhere whether the coroutine continues on another thread than the one that requests items; otherwise the
 *     consumer's call itself would run the flow
 */
internal class Supply<T : AutoCloseable>(
    private val elsewhere: Boolean,
    private val move: (T) -> T,
    private val signalled: (T) -> T,
) : Publisher<T>, WakingSubscription {
    private val demand = AtomicLong()
    private val woken = Channel<Unit>(Channel.CONFLATED)

    // Written once, before any request.
    private var subscriber: Subscriber<in T>? = null

    // Guarded by this.
    private var subscribed = false
    private var ended = false
    private var failure: Throwable? = null

    override fun subscribe(subscriber: Subscriber<in T>) {
        this.subscriber = subscriber
        subscriber.onSubscribe(if (elsewhere) this else object : Subscription by this {})
        synchronized(this) {
            subscribed = true
            if (!ended) return
        }
        signalEnd(subscriber)
    }

    override fun request(n: Long) {
        demand.accumulateAndGet(n) { a, b -> if (a + b < 0) Long.MAX_VALUE else a + b }
        wake()
    }

    /** Makes a waiting emit check its conditions again. */
    fun wake() {
        woken.trySend(Unit)
    }

    /** Does nothing: the stream ends soon, and that ends the collection. */
    override fun cancel() = Unit

    /** Takes an item, and signals it as soon as the subscriber requests it. */
    suspend fun emit(item: T, upstream: Upstream) {
        // without a continuation if the emit need not wait
        if (demand.get() == 0L || upstream.refusal() != null) return emitLater(move(item), upstream)
        pass(signalled(item))
    }

    private suspend fun emitLater(item: T, upstream: Upstream) {
        try {
            while (demand.get() == 0L && upstream.refusal() == null) woken.receive()
            upstream.refusal()?.let { throw it }
        } catch (t: Throwable) {
            item.close()
            throw t
        }
        pass(item)
    }

    private fun pass(item: T) {
        demand.decrementAndGet()
        checkNotNull(subscriber).onNext(item) // not null: a subscriber has requested the item
    }

    /** Signals the end of the stream, at most once. */
    fun end(why: Throwable?) {
        val failure = if (why is CancellationException)
            DeviceException(Errno.ECANCELED, "the producing flow was cancelled", why) else why
        val to = synchronized(this) {
            if (ended) return
            ended = true
            this.failure = failure
            if (subscribed) subscriber else null
        }
        if (to != null) signalEnd(to)
    }

    private fun signalEnd(subscriber: Subscriber<in T>) {
        val why = failure
        if (why == null) subscriber.onComplete() else subscriber.onError(why)
    }
}
