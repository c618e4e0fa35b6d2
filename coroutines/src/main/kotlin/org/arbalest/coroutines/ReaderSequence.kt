// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceArrayReader

/**
 * Calls [block] with the arrays of this reader, and then closes the reader, even if [block] fails. It is the
 * counterpart of `useLines` for files.
 *
 *     val rows = reader.useArrays { batches -> batches.sumOf { it.length() } }
 *
 * **Ownership.** Each array is borrowed: it is open until the iteration requests the next one or [block] ends, and is
 * then closed. [DeviceArray.retain] keeps an array. Use each array within its iteration: `toList()`, `sorted`,
 * `chunked` and similar functions return closed arrays, and no lazy sequence may leave [block].
 *
 * **Threads.** The sequence can be iterated once, on a thread that may block for the next array. In a coroutine, use
 * [asFlow].
 *
 * The iteration throws the exceptions of [DeviceArrayReader.next].
 */
public inline fun <A : DeviceArray, R> DeviceArrayReader<A>.useArrays(block: (Sequence<A>) -> R): R =
    use { reader -> BorrowedArrays(reader).use { block(it.asSequence()) } }

/** The arrays of a reader, each closed when the next one is requested. */
@PublishedApi
internal class BorrowedArrays<A : DeviceArray>(private val reader: DeviceArrayReader<A>) : Iterator<A>, AutoCloseable {
    private var borrowed: A? = null
    private var pulled: A? = null
    private var ended = false

    override fun hasNext(): Boolean {
        if (pulled == null && !ended) {
            giveUp()
            pulled = reader.next()
            ended = pulled == null
        }
        return pulled != null
    }

    override fun next(): A {
        if (!hasNext()) throw NoSuchElementException("the stream has ended")
        return checkNotNull(pulled).also {
            borrowed = it
            pulled = null
        }
    }

    private fun giveUp() {
        borrowed?.close()
        borrowed = null
    }

    override fun close() {
        giveUp()
        pulled?.close()
    }
}
