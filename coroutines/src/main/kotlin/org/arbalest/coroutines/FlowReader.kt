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
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import kotlin.coroutines.CoroutineContext

/**
 * A stream of the record batches that this flow emits, to be pulled here or handed to C.
 *
 * **Ownership.** What is emitted is the reader's from that moment, whatever happens to the emit: it is handed on, or
 * closed. Closing it after the emit as well, as flows do that lend, does nothing. An emitter that goes on using an
 * array emits `array.retain()`. Before its emit an array is the emitter's. A plain `flow` that is cancelled from
 * outside, by its scope, throws instead of emitting, and loses what it had just made; [lendingFlow] does not.
 *
 *     lendingFlow { for (day in days) emit(device.batch(…) { … }) }.asReader(schema)
 *     lendingFlow { reader.asFlow().collect { batch -> emit(summary(batch)) } }.asReader(schema)
 *
 * Behind `buffer`, `flowOn`, `channelFlow` and whatever else holds elements arrays are not the reader's yet; what these
 * hold when they are cancelled is lost.
 *
 * **Threads.** The flow is collected in [context], by a coroutine that starts with the first pull and then is at most
 * one array ahead of the pulls. A pull blocks its thread until there is an array: it must not hold up a thread that the
 * flow needs. [asFlow] sees to that; who pulls by hand does so on a thread of its own, or on a view such as
 * `Dispatchers.IO.limitedParallelism(1)`, as the 64 threads of [Dispatchers.IO] itself may all wait for flows that need
 * one of them. Interrupting the pulling thread ends the stream.
 *
 * **The end.** What the flow throws is thrown by the pull, and reaches C as an errno with the message; it cancels
 * nobody else. A pull that waits in another thread when the reader is closed throws [IllegalStateException]. A [Job] in
 * [context] becomes the collection's parent, so that a scope waits. If that is cancelled, pulls fail with `ECANCELED`.
 *
 * **When the reader is closed**, or C releases the stream, nothing waits for the flow, which comes to its end by
 * itself: the emit that it waits in, or its next, throws. One that does not emit is cancelled: as soon as it has been
 * suspended for 20 ms with none of its code running in any thread; after a second wherever it is suspended, code in
 * another dispatcher counting as such; after ten seconds wherever it is. A batch that it was making is closed if it is
 * emitted before that. It is lost if it is held over a suspension of more than 20 ms (or until the dispatcher has a
 * thread for it), or over any after the first second, if it is made in another dispatcher and that takes more than a
 * second, or if making it blocks for more than ten. [lendingFlow] does not lose what has come to its emit.
 *
 * @param schema the schema of every batch
 * @param deviceType where every batch is
 */
public fun Flow<DeviceArray>.asReader(
    schema: Schema,
    deviceType: DeviceType = DeviceType.CPU,
    context: CoroutineContext = Dispatchers.Default,
): DeviceArrayReader = asReader(schema.asField(), deviceType, context)

/** A stream of arrays of any type; see the other overload. */
public fun Flow<DeviceArray>.asReader(
    field: Field,
    deviceType: DeviceType = DeviceType.CPU,
    context: CoroutineContext = Dispatchers.Default,
): DeviceArrayReader = DeviceArrayReader.of(field, deviceType, FlowSource(this, context))

/** Called by one thread at a time, but for [cancel]. */
private class FlowSource(private val flow: Flow<DeviceArray>, private val context: CoroutineContext) :
    DeviceArrayReader.Source {
    // No room: an array passes from hand to hand, or to the handler if one of them was cancelled meanwhile.
    private val arrays = Channel<DeviceArray>(Channel.RENDEZVOUS, onUndeliveredElement = DeviceArray::close)

    /** Null before the first pull: a parent would wait for a coroutine that nobody starts. */
    @Volatile
    private var upstream: Upstream? = null

    override fun next(): DeviceArray? {
        if (upstream == null) upstream = start()
        val result = runBlocking { arrays.receiveCatching() }
        result.exceptionOrNull()?.let { throw it }
        return result.getOrNull()
    }

    private fun start(): Upstream {
        val started = Upstream.start(CoroutineScope(context)) {
            try {
                flow.collect { arrays.send(it.move()) } // throws if there is nobody any more
            } catch (t: Throwable) {
                arrays.close(t) // it is for whoever pulls, not for the parent
            }
        }
        // Also if the parent was cancelled before the coroutine could begin.
        started.invokeOnCompletion(arrays::close)
        return started
    }

    /** Ends a pull that waits. One that is about to start the collection ends too, and then [close] comes. */
    override fun cancel() {
        arrays.cancel()
        upstream?.stop()
    }

    override fun close() = cancel()
}
