// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.check

import java.util.Locale

private const val MIB = 1L shl 20

/**
 * How slow something may be beside something else: it may take what that takes divided by [share], and so many [micros]
 * more.
 *
 * @property share of the other's speed: 0.95 allows 5 % more time
 * @property micros what is allowed whatever the size
 */
data class Threshold(val share: Double, val micros: Double) {
    /** Why a time is too long; null if it is not. What is no time at all is not good. */
    fun complaint(ours: Double, reference: Double): String? {
        if (!ours.isFinite() || !reference.isFinite() || ours <= 0 || reference <= 0)
            return "nothing was measured: %s us beside %s us".format(ours, reference)
        val most = reference / share + micros
        return if (ours <= most) null else "%.1f us, and %.1f are the most".format(Locale.ROOT, ours, most)
    }

    /** So much more is allowed where the figures are a program's, not a GPU's. */
    fun loosened(): Threshold = Threshold(share / 50, micros * 200)

    override fun toString(): String = "%s, %s us".format(Locale.ROOT, share, micros)
}

/**
 * The thresholds of a GPU. Below [LARGE] a batch is allowed what it costs at any size: an allocation, an event, a
 * handle.
 */
object Thresholds {
    const val LARGE = 16 * MIB

    private const val FIXED_MICROS = 20.0

    /** A batch from or to pinned memory, beside one copy by the runtime. */
    fun pinned(columns: Int, bytes: Long): Threshold = Threshold(if (columns == 1) 0.95 else 0.9, fixed(bytes))

    /**
     * A batch from or to pageable memory, beside the slower of the runtime's pinned copy, and a copy by the threads of
     * the CPU.
     */
    fun pageable(bytes: Long): Threshold = Threshold(0.6, fixed(bytes))

    /** A coroutine's wait, beside a blocked thread's. */
    val wait: Threshold = Threshold(1.0, 10.0)

    /**
     * The same for one that lasts: whoever asks sleeps between two questions, for a 32nd of the time that he has
     * waited, and a timer is late by some 50 us.
     */
    val longWait: Threshold = Threshold(0.96, 100.0)

    private fun fixed(bytes: Long): Double = if (bytes < LARGE) FIXED_MICROS else 0.0
}
