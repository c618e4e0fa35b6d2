// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks

import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.runBlocking
import org.arbalest.coroutines.await
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.DeviceStream
import org.arbalest.device.SyncEvent
import kotlin.coroutines.Continuation
import kotlin.coroutines.EmptyCoroutineContext

/** The coroutine functions of [OpenClAwait]. */
internal class Waits(private val stream: DeviceStream, private val from: DeviceBuffer, private val to: DeviceBuffer) {
    private val nobody = Continuation<Unit>(EmptyCoroutineContext) { error("a completed event must not suspend") }
    private val wait: suspend (SyncEvent) -> Unit = { it.await() }

    /** Calls `await()` without a coroutine, since a completed event does not suspend. */
    @Suppress("UNCHECKED_CAST")
    fun await(event: SyncEvent): Any = (wait as (SyncEvent, Continuation<Unit>) -> Any)(event, nobody)

    fun pending(count: Int): Unit = runBlocking(Dispatchers.Default) {
        repeat(count) {
            stream.copy(from, to)
            stream.record().use { it.await() }
        }
    }
}
