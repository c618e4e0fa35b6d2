// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.check

import org.arbalest.support.gpu.GpuDouble

/**
 * The runtime's own copies and waits, in a stream: what ours are laid beside, and how what ours have written is
 * fetched. On a double nothing befalls them.
 */
class Reference(private val raw: RawGpu, private val stream: Long, private val double: GpuDouble?) : AutoCloseable {
    private val event = raw.createEvent()

    /** Queues a copy, and nothing else. */
    fun queue(to: Long, from: Long, bytes: Long) {
        double?.spare(true)
        try {
            raw.copy(to, from, bytes, stream)
        } finally {
            double?.spare(false)
        }
    }

    /** Sleeps until all that was queued is over. */
    fun await() {
        raw.record(event, stream)
        raw.await(event)
    }

    fun copy(to: Long, from: Long, bytes: Long) {
        queue(to, from, bytes)
        await()
    }

    override fun close(): Unit = raw.destroyEvent(event)
}
