// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.runBlocking
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.DeviceType
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import kotlin.coroutines.CoroutineContext

/**
 * Returns a stream of the record batches that this flow emits, for a Kotlin or Java caller to pull or to export to
 * native code. (An async stream from native code is not a flow: its
 * [reader][org.arbalest.device.async.AsyncArrayStream.reader] is a pull stream too.)
 *
 * **Ownership.** Before its `emit`, an array belongs to the emitter. From the `emit` on it belongs to the reader, even
 * if the `emit` fails: the reader passes it on or closes it. Closing it again after the `emit`, as a [LendingFlow]
 * does, has no effect. An emitter that needs the array after the `emit` emits `array.retain()`.
 *
 *     lendingFlow { for (day in days) emit(device.batch(…) { … }) }.asReader(schema)
 *     lendingFlow { reader.asFlow().collect { batch -> emit(summary(batch)) } }.asReader(schema)
 *
 * Two kinds of flow lose arrays, that is, never close them. A plain `flow` whose scope is cancelled throws instead of
 * emitting, and loses the array that it has just made; [lendingFlow] does not. Operators that hold elements, such as
 * `buffer`, `flowOn` and `channelFlow`, lose the elements that they hold when they are cancelled, because the reader
 * does not own those elements yet.
 *
 * **Threads.** A coroutine in [context] collects the flow. It starts with the first pull, and is at most one array
 * ahead of the pulls. A pull blocks its thread until an array is available, so it must not block a thread that the flow
 * needs. [asFlow] ensures this. Code that pulls directly uses its own thread, or a view such as
 * `Dispatchers.IO.limitedParallelism(1)`. The 64 threads of [Dispatchers.IO] itself do not suffice: all of them can
 * block in pulls while the flows need one of them. Interrupting the pulling thread ends the stream.
 *
 * **The end.** The pull throws the exception of the flow; native code receives an errno with the message. The exception
 * cancels no other coroutine. A pull that waits on another thread when the reader is closed throws
 * [IllegalStateException]. A [Job] in [context] becomes the collection's parent, so its scope waits for the collection.
 * If that job is cancelled, pulls fail with `ECANCELED`.
 *
 * **Closing.** When the caller closes the reader, or native code releases the stream, that call does not wait for the
 * flow. A flow whose collection did not begin is [discarded][discard]. Else it ends by itself: its current or next
 * `emit` throws. A flow that does not emit is cancelled:
 *
 * - as soon as it has been suspended for 20 ms and none of its code runs in any thread;
 * - after 1 second at any suspension; code in another dispatcher then counts as suspended;
 * - after 10 seconds at any point.
 *
 * A batch that the flow emits before its cancellation is closed. A batch that it has not yet emitted is lost:
 *
 * - if the flow holds it during a suspension of more than 20 ms, including the wait for a thread of the dispatcher;
 * - if the flow holds it during any suspension after the first second;
 * - if code in another dispatcher needs more than 1 second to make it;
 * - if making it blocks for more than 10 seconds.
 *
 * A [lendingFlow] does not lose a batch that has reached its `emit`.
 *
 * @param schema the schema of every batch
 * @param deviceType the device type of every batch
 * @param context the context in which the flow is collected
 */
public fun Flow<RecordBatch>.asReader(
    schema: Schema,
    deviceType: DeviceType = DeviceType.CPU,
    context: CoroutineContext = Dispatchers.Default,
): RecordBatchReader = RecordBatchReader.of(schema, deviceType, FlowSource(this, context))

/**
 * Returns a stream of the arrays that this flow emits, which have any type; see the overload for record batches, whose
 * result has more operations.
 *
 * @param field the field of every array
 * @param deviceType the device type of every array
 * @param context the context in which the flow is collected
 */
public fun Flow<DeviceArray>.asReader(
    field: Field,
    deviceType: DeviceType = DeviceType.CPU,
    context: CoroutineContext = Dispatchers.Default,
): DeviceArrayReader<DeviceArray> = DeviceArrayReader.of(field, deviceType, FlowSource(this, context))

/** The source of the reader. One thread at a time calls it, except [cancel]. */
private class FlowSource<A : DeviceArray>(private val flow: Flow<A>, private val context: CoroutineContext) :
    DeviceArrayReader.Source<A> {
    // The channel has no buffer: the sender passes an array directly to the receiver. If one of them is cancelled
    // meanwhile, the handler closes the array.
    private val arrays = Channel<A>(Channel.RENDEZVOUS, onUndeliveredElement = DeviceArray::close)

    /** Null before the first pull: a parent job would wait forever for a coroutine that never starts. */
    @Volatile
    private var upstream: Upstream? = null

    override fun next(): A? {
        if (upstream == null) upstream = start()
        val result = runBlocking { arrays.receiveCatching() }
        result.exceptionOrNull()?.let { throw it }
        return result.getOrNull()
    }

    private fun start(): Upstream {
        val started = Upstream.start(CoroutineScope(context)) {
            try {
                // The send throws if the reader is closed.
                ContinuationPerContext.of(flow).collect { arrays.send(it.like(it.move())) }
            } catch (t: Throwable) {
                arrays.close(t) // reported to the pulling thread, not to the parent
            }
        }
        // Needed also if the parent is cancelled before the coroutine begins.
        started.invokeOnCompletion(arrays::close)
        return started
    }

    /** Ends a pull that waits. It also ends a pull that is about to start the collection; then [close] follows. */
    override fun cancel() {
        arrays.cancel()
        upstream?.stop()
    }

    override fun close() {
        cancel()
        flow.discard() // if the collection did not begin: without a pull, or in a cancelled scope
    }
}
