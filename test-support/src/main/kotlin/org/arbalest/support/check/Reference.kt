// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.check

import org.arbalest.support.gpu.GpuDouble

/**
 * The runtime's own copies and waits, in a stream. They are the reference for Arbalest's times, and fetch the bytes
 * that Arbalest has written. A simulator does not disturb them.
 */
class Reference(private val raw: RawGpu, private val stream: Long, private val double: GpuDouble?) : AutoCloseable {
    private val event = raw.createEvent()

    /** Queues a copy only. */
    fun queue(to: Long, from: Long, bytes: Long) {
        double?.spare(true)
        try {
            raw.copy(to, from, bytes, stream)
        } finally {
            double?.spare(false)
        }
    }

    /** Sleeps until all queued work is complete. */
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
