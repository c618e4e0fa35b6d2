// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.check

import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED
import java.util.stream.LongStream

private const val PIECE = 16L shl 20
private const val PAGE = 4096L

/** A pattern of bytes that identifies a piece of memory, the position in it, and the round of its writing. */
object Pattern {
    /** Fills a piece of whole words. */
    fun fill(segment: MemorySegment, piece: Int): Unit = inPieces(segment.byteSize()) { at, size ->
        for (offset in at until at + size step 8) segment.set(JAVA_LONG_UNALIGNED, offset, word(piece, offset, 0))
    }

    /**
     * Writes a different word into each page, and at the end. A comparison therefore detects bytes of an earlier round.
     */
    fun stamp(segment: MemorySegment, piece: Int, round: Int) {
        for (offset in 0 until segment.byteSize() step PAGE)
            segment.set(JAVA_LONG_UNALIGNED, offset, word(piece, offset, round + 1))
        val last = segment.byteSize() - 8
        segment.set(JAVA_LONG_UNALIGNED, last, word(piece, last, round + 1))
    }

    /** Compares all bytes of both segments. */
    fun compare(
        expected: MemorySegment,
        actual: MemorySegment,
        what: () -> String,
    ): Unit = inPieces(expected.byteSize()) { at, size ->
        val place = at + MemorySegment.mismatch(expected, at, at + size, actual, at, at + size)
        if (place >= at) {
            val (is_, was) = listOf(actual, expected).map { "0x%02x".format(it.get(JAVA_BYTE, place)) }
            throw SpoiltException("${what()}: byte $place of ${expected.byteSize()} is $is_ instead of $was")
        }
    }

    private fun word(piece: Int, offset: Long, round: Int): Long {
        val mixed = (offset + 1) * -7046029254386353131L + (piece + 1) * -4417276706812531889L +
            round * 2685821657736338717L
        return mixed xor (mixed ushr 29)
    }

    /** Works on all processors, in short calls: the JVM cannot stop for a garbage collection during a call. */
    private fun inPieces(bytes: Long, block: (at: Long, size: Long) -> Unit) {
        if (bytes <= PIECE) return block(0, bytes)
        LongStream.range(0, Math.ceilDiv(bytes, PIECE)).parallel().forEach {
            block(it * PIECE, minOf(PIECE, bytes - it * PIECE))
        }
    }
}

/** A failure of a comparison: the received bytes differ from the sent bytes. */
class SpoiltException(message: String) : IllegalStateException(message)
