// SPDX-License-Identifier: Apache-2.0
package org.arbalest.ipc.coroutines

import kotlinx.coroutines.CompletableDeferred
import java.io.IOException
import java.io.InputStream
import java.util.concurrent.CountDownLatch

/** An input that has [bytes] and then waits like a socket: a close ends the read, and an interrupt does not. */
internal class HeldInput(private val bytes: ByteArray) : InputStream() {
    private val closed = CountDownLatch(1)
    private var position = 0

    /** Completes when a read waits. */
    val waits = CompletableDeferred<Unit>()
    val isClosed: Boolean get() = closed.count == 0L

    override fun read(): Int = ByteArray(1).let { if (read(it, 0, 1) < 0) -1 else it[0].toInt() and 0xff }

    override fun read(target: ByteArray, offset: Int, length: Int): Int {
        if (length == 0) return 0
        if (position == bytes.size) awaitClose()
        val count = minOf(length, bytes.size - position)
        bytes.copyInto(target, offset, position, position + count)
        position += count
        return count
    }

    private fun awaitClose(): Nothing {
        waits.complete(Unit)
        var interrupted = false
        while (true) {
            try {
                closed.await()
                break
            } catch (_: InterruptedException) {
                interrupted = true
            }
        }
        if (interrupted) Thread.currentThread().interrupt()
        throw IOException("the input was closed")
    }

    override fun close() = closed.countDown()
}
