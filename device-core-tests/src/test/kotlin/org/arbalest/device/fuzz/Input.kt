// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.fuzz

/** The bytes from a fuzzer, read from the front, followed by zeros. */
internal class Input(private val data: ByteArray) {
    private var at = 0

    fun byte(): Int = if (at < data.size) data[at++].toInt() and 0xFF else 0

    /** Returns a number from 0 until [bound]. */
    fun below(bound: Int): Int = byte() % bound

    /** Returns true in one of [n] cases, and never after the last byte. */
    fun oneIn(n: Int): Boolean = byte() % n == n - 1

    fun <T> choose(list: List<T>): T = list[below(list.size)]

    fun bytes(count: Int): ByteArray = ByteArray(count) { byte().toByte() }

    fun long(): Long = (0 until 8).fold(0L) { sum, i -> sum or (byte().toLong() shl 8 * i) }
}
