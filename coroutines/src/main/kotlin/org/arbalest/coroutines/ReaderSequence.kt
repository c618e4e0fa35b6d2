// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceArrayReader

/**
 * Calls [block] with the arrays of this reader, and closes the reader, whatever happens: what `useLines` is to a file.
 *
 *     val rows = reader.useArrays { batches -> batches.sumOf { it.length() } }
 *
 * Each array is lent: it is open until the next is asked for, or [block] ends, and closed then; [DeviceArray.retain]
 * keeps one. So use each within the iteration: `toList()`, `sorted`, `chunked` and their like give closed ones, and
 * nothing lazy may leave [block]. The sequence can be iterated once, on the thread that may block for the next. It
 * throws what [DeviceArrayReader.next] throws. [asFlow] is for what suspends.
 */
public inline fun <R> DeviceArrayReader.useArrays(block: (Sequence<DeviceArray>) -> R): R =
    use { reader -> BorrowedArrays(reader).use { block(it.asSequence()) } }

/** The arrays of a reader, each closed when the next is asked for. */
@PublishedApi
internal class BorrowedArrays(private val reader: DeviceArrayReader) : Iterator<DeviceArray>, AutoCloseable {
    private var borrowed: DeviceArray? = null
    private var pulled: DeviceArray? = null
    private var ended = false

    override fun hasNext(): Boolean {
        if (pulled == null && !ended) {
            giveUp()
            pulled = reader.next()
            ended = pulled == null
        }
        return pulled != null
    }

    override fun next(): DeviceArray {
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
