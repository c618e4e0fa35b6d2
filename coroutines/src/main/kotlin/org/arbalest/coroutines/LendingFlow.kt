package org.arbalest.coroutines

import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.FlowCollector
import kotlinx.coroutines.flow.flow
import org.arbalest.device.DeviceArray

/**
 * A cold flow that owns what is emitted in it, and lends it to whoever collects: `flow`, for what must be closed.
 *
 *     lendingFlow {
 *         for (day in days) emit(device.batch(…) { … })
 *     }
 *
 * **What is emitted** is the flow's from that moment, whatever happens to the emit, cancellation included, and closed when the emit ends.
 * **Whoever collects** may use it until then, as with [asFlow], and keeps it by [DeviceArray.retain], takes it by [DeviceArray.move] or an export, or
 * leaves it to a sink such as [asReader] and [produceTo], which take it by themselves.
 *
 * It is like `flow { batch().use { emit(it) } }`, and otherwise like `flow`: one emit at a time, in the collector's context. A plain `flow` does not
 * close what it emits; and where its coroutine was cancelled, its `emit` throws without handing anything on. It is right for arrays only
 * if each is closed after its emit, or if a sink collects it that nobody cancels from outside.
 *
 * Between its making and its emit an array is the block's own: one that is to live through a suspension is to be closed if that throws.
 */
public fun <T : AutoCloseable> lendingFlow(block: suspend FlowCollector<T>.() -> Unit): Flow<T> = flow {
    val collector = this
    FlowCollector<T> { item -> item.use { collector.emit(it) } }.block()
}
