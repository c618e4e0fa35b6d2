// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.FlowCollector
import java.util.concurrent.atomic.AtomicBoolean

/**
 * Releases the source of a flow that is not collected: closes the reader or the async stream of `asFlow`, also
 * through the operators of [LendingFlow]. It does not find the source through operators of kotlinx.coroutines, such as
 * `onEach` behind `map`: discard the flow before them. Does nothing if the collection has begun, or the flow owns
 * nothing before it, as [lendingFlow] and the plain flows of kotlinx.coroutines do.
 *
 *     val batches = reader.asFlow()
 *     scope.launch { batches.collect { … } }.invokeOnCompletion { batches.discard() } // if the scope was cancelled
 *
 * The sinks ([asReader], [produceTo], …) own the flow that they get, and discard it themselves. This call may block as
 * long as closing the reader does. Collecting a reader's flow after it throws [IllegalStateException].
 */
public fun Flow<*>.discard() {
    when (this) {
        is LendingFlow<*> -> discardSource()
        is ChangedFlow<*> -> discardSource()
    }
}

/** Discards each of the flows. Throws the first exception at the end. */
internal fun discardAll(flows: Array<out Flow<*>>) {
    val failures = flows.mapNotNull { runCatching { it.discard() }.exceptionOrNull() }
    val first = failures.firstOrNull() ?: return
    failures.drop(1).forEach(first::addSuppressed)
    throw first
}

/** The results of a lending flow's elements. They belong to the collector; [source] is the lending flow's. */
internal class ChangedFlow<R>(flow: Flow<R>, private val source: () -> Unit) : Flow<R> {
    private val flow = ContinuationPerContext.of(flow)

    override suspend fun collect(collector: FlowCollector<R>) = discardingAfter(source) { flow.collect(collector) }

    fun discardSource() = source()
}

/**
 * Runs a collection, and then discards its sources. This has an effect only on a source whose own collection did not
 * begin, for example because an operator failed before.
 */
internal suspend inline fun discardingAfter(source: () -> Unit, collection: () -> Unit) {
    try {
        collection()
    } catch (t: Throwable) {
        discardInto(t, source)
        throw t
    }
    source()
}

/** Discards a source. An exception is suppressed in [failure]. */
internal inline fun discardInto(failure: Throwable, source: () -> Unit) {
    try {
        source()
    } catch (t: Throwable) {
        failure.addSuppressed(t)
    }
}

/** The source of a flow that is collected once, or else discarded. */
internal class OneCollection(private val source: AutoCloseable) {
    private val isOver = AtomicBoolean()

    /** Begins the collection, which closes the source. Throws if this or [discard] was called before. */
    fun begin() {
        if (!isOver.compareAndSet(false, true)) throw CollectedAlreadyException()
    }

    /** Closes the source, unless the collection has begun. */
    fun discard() {
        if (isOver.compareAndSet(false, true)) source.close()
    }
}

/** The failure of a second collection, which no retry can avoid. */
internal class CollectedAlreadyException : IllegalStateException(
    "the flow of a reader or a stream can be collected only once, and it was collected or discarded already",
)
