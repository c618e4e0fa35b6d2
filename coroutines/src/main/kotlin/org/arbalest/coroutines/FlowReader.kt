package org.arbalest.coroutines

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.Field
import org.arbalest.device.Schema
import org.arbalest.device.abi.DeviceType
import kotlin.coroutines.CoroutineContext

/**
 * A stream of the record batches that this flow emits, to be pulled here or handed to C.
 *
 * **Ownership.** The flow lends, as [asFlow] does: whoever emits an array closes it after the emit, and `use` is the way.
 * In between the reader takes it over, as an export does, so that nothing is left to close; arrays that nobody pulls are
 * closed. An emitter that does not close loses an array if it is cancelled on the point of emitting it; one that goes on
 * using the array emits `array.retain()`, and closes that.
 *
 *     flow { for (day in days) device.batch(…) { … }.use { emit(it) } }.asReader(schema)
 *     reader.asFlow().transform { batch -> summary(batch).use { emit(it) } }.asReader(schema)
 *
 * **Threads.** The flow is collected in [context], by a coroutine that starts with the first pull and then is at most
 * one array ahead of the pulls. A pull blocks its thread until there is an array: it must not hold up a thread that
 * the flow needs. [asFlow] sees to that; who pulls by hand does so on a thread of its own, or on a view such as
 * `Dispatchers.IO.limitedParallelism(1)`, as the 64 threads of [Dispatchers.IO] itself may all wait for flows that need one
 * of them. Interrupting the pulling thread ends the stream.
 *
 * **The end.** What the flow throws is thrown by the pull, and reaches C as an errno with the message; it cancels nobody
 * else. Closing the reader, or C's release of the stream, cancels the collection and does not wait for it; a pull that
 * waits in another thread then throws [IllegalStateException]. A [Job] in [context] becomes the collection's parent, so
 * that a scope waits. If that is cancelled, pulls fail with `ECANCELED`.
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
    private var collection: Job? = null

    override fun next(): DeviceArray? {
        if (collection == null) collection = start()
        val result = runBlocking { arrays.receiveCatching() }
        result.exceptionOrNull()?.let { throw it }
        return result.getOrNull()
    }

    private fun start(): Job {
        val job = CoroutineScope(context).launch {
            try {
                flow.collect { arrays.send(it.move()) }
            } catch (t: Throwable) {
                arrays.close(t) // it is for whoever pulls, not for the parent
            }
        }
        // Also if the parent was cancelled before the coroutine could begin.
        job.invokeOnCompletion { arrays.close(it) }
        return job
    }

    /** Ends a pull that waits. One that is about to start the collection ends too, and then [close] comes. */
    override fun cancel() {
        arrays.cancel()
        collection?.cancel()
    }

    override fun close() = cancel()
}
