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
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Errno
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
 * handler was released.
 *
 *     lendingFlow { for (day in days) emit(device.batch(…) { … }) }.produceTo(handler, schema)
 *
 * **Ownership.** What is emitted is the stream's from that moment, as [asReader]'s is, whatever happens to the emit:
 * the consumer extracts it, or it is closed. Closing it after the emit as well does nothing. A plain `flow` that is
 * cancelled from outside throws instead of emitting, and loses what it had just made; [lendingFlow] does not.
 *
 * The handler passes to this call, which releases it in the end, whatever happens. A coroutine that is cancelled before
 * it began never calls this, and leaves the handler to nobody: whoever launches one for a handler that C waits on
 * begins it at once.
 *
 *     scope.launch(start = CoroutineStart.UNDISPATCHED) { batches.produceTo(handler, schema) }
 *
 * **Back-pressure.** The flow is collected in this coroutine's context; each emit waits until the consumer has asked
 * for the array. It is announced on the thread that emits, and exported on the thread on which the consumer extracts
 * it. The other callbacks run on [Dispatchers.Default]. No callback is made inside a call of the consumer's, and none
 * at the same time as another.
 *
 * **The end.** Returns at the flow's end, and if the consumer cancels, or answers with an error. Such a consumer takes
 * nothing any more: the emit that waits for it, or the next one, throws, and a flow that does not emit is cancelled
 * when [asReader]'s would be that was closed: after some 20 ms where it waits, later where it runs. The same is lost
 * then. What the flow throws goes to the consumer's `on_error`, with errno, message and those of its causes, and is
 * thrown here. So does a cancellation of this coroutine, as `ECANCELED`; it waits for the release. If the consumer
 * answers with an error, that is thrown as a [DeviceException] with its errno.
 *
 * @param handler a live handler
 * @param schema the schema of every batch
 * @param deviceType where every batch is
 * @param metadata what is said about the stream, in `additional_metadata`
 * @param quirks what the consumer is known to do
 * @throws IllegalArgumentException if [handler] is not a handler; it is then not released
 */
public suspend fun Flow<DeviceArray>.produceTo(
    handler: MemorySegment,
    schema: Schema,
    deviceType: DeviceType = DeviceType.CPU,
    metadata: Metadata = Metadata.empty(),
    vararg quirks: AsyncQuirk,
): Unit = produceTo(handler, AsyncSchema(schema.asField(), deviceType, metadata), *quirks)

/** The same for arrays of any type. */
public suspend fun Flow<DeviceArray>.produceTo(
    handler: MemorySegment,
    schema: AsyncSchema,
    vararg quirks: AsyncQuirk,
): Unit =
    drive(DeviceArray::move, { it }) { publisher, executor ->
        CData.exportAsyncStream(AsyncProducer.of(schema, publisher), handler, executor, CExport.DEVICE.quirks(*quirks))
    }

/**
 * The same for tasks, each with its metadata: [AsyncTask.of], or those of another stream, which are extracted when this
 * one's consumer does so. A task that is emitted is the stream's from that moment, as arrays are.
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
 * @param signalled what is signalled for an item whose turn it is: the array itself, as the stream takes what it has,
 *     or a task of its own
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
                    supply.end(t) // also a cancellation that is the flow's own, such as a timeout, which ends no scope
                    throw t
                }
            }
            // The consumer cancelled, or refused; otherwise the collection has ended.
            stream.whenComplete { _, _ ->
                upstream.stop()
                supply.wake()
            }
        }
    } catch (t: Throwable) {
        supply.end(t)
        withContext(NonCancellable) { stream.handle { _, _ -> }.await() }
        throw t
    }
    withContext(NonCancellable) { stream.await() }
}

/**
 * Whether a coroutine of this context that is woken goes on in another thread: not so [Dispatchers.Unconfined], or
 * Main.immediate in its own thread.
 */
private fun CoroutineContext.goesOnElsewhere(): Boolean {
    val dispatcher = this[ContinuationInterceptor] ?: Dispatchers.Default
    return dispatcher is CoroutineDispatcher && dispatcher.isDispatchNeeded(this)
}

/**
 * What a coroutine emits, to one subscriber.
 *
 * @param elsewhere whether that goes on in another thread than the one that asks for more: otherwise the consumer's
 *     calls would run the flow
 */
internal class Supply<T : AutoCloseable>(
    private val elsewhere: Boolean,
    private val move: (T) -> T,
    private val signalled: (T) -> T,
) : Publisher<T>, WakingSubscription {
    private val demand = AtomicLong()
    private val woken = Channel<Unit>(Channel.CONFLATED)

    // Written once, before anybody can ask.
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

    /** Has an emit that waits look again. */
    fun wake() {
        woken.trySend(Unit)
    }

    /** The stream comes to its end soon, and ends the collection. */
    override fun cancel() = Unit

    /** Takes an item, and passes it on as soon as it is asked for. */
    suspend fun emit(item: T, upstream: Upstream) {
        // without a continuation where nobody waits
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
        checkNotNull(subscriber).onNext(item) // there is one: somebody asked
    }

    /** The end, once. */
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
