// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.check

import java.lang.foreign.MemorySegment
import java.util.concurrent.Callable
import java.util.concurrent.Executors

private const val PIECE = 16L shl 20
private const val LEAST = 1L shl 20
private const val MOST_THREADS = 4

/**
 * Copies within main memory by a few threads. A copy of pageable memory that touches each byte once on the way cannot
 * be faster.
 */
class HostCopy(bytes: Long) : AutoCloseable {
    /** At least one MiB for each thread, and at most four threads: more would load the whole machine. */
    val threads: Int = (bytes / LEAST)
        .coerceIn(1, minOf(MOST_THREADS, Runtime.getRuntime().availableProcessors()).toLong()).toInt()

    private val others = Executors.newFixedThreadPool(threads) { Thread(it, "check-memcpy").apply { isDaemon = true } }

    fun run(to: MemorySegment, from: MemorySegment) {
        if (threads == 1) return copy(to, from, 0, from.byteSize())
        val share = Math.ceilDiv(from.byteSize(), threads.toLong())
        others.invokeAll(
            List(threads) { i -> Callable { copy(to, from, i * share, minOf(share, from.byteSize() - i * share)) } },
        ).forEach { it.get() }
    }

    private fun copy(to: MemorySegment, from: MemorySegment, start: Long, bytes: Long) {
        for (at in start until start + bytes step PIECE)
            MemorySegment.copy(from, at, to, at, minOf(PIECE, start + bytes - at))
    }

    override fun close(): Unit = others.close()
}
