// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.check

import java.util.Locale

private const val MIB = 1L shl 20

/**
 * A limit on a time, relative to a reference time: at most the reference time divided by [share], plus [micros]
 * microseconds.
 *
 * @property share of the reference's speed: 0.95 allows 5 % more time
 * @property micros a fixed allowance in microseconds, independent of the size
 */
data class Threshold(val share: Double, val micros: Double) {
    /**
     * Returns the reason why a time is too long; null if it is not. A time that is not positive and finite is a fault.
     */
    fun complaint(ours: Double, reference: Double): String? {
        if (!ours.isFinite() || !reference.isFinite() || ours <= 0 || reference <= 0)
            return "invalid times: %s us, with a reference of %s us".format(ours, reference)
        val most = reference / share + micros
        return if (ours <= most) null else "%.1f us exceeds the limit of %.1f us".format(Locale.ROOT, ours, most)
    }

    /** Returns a wider limit, for times that measure the simulator and not a GPU. */
    fun loosened(): Threshold = Threshold(share / 50, micros * 200)

    override fun toString(): String = "%s, %s us".format(Locale.ROOT, share, micros)
}

/**
 * The thresholds of a GPU. A batch below [LARGE] has an allowance for its fixed costs: an allocation, an event, a
 * handle.
 */
object Thresholds {
    const val LARGE = 16 * MIB

    private const val FIXED_MICROS = 20.0

    /** Returns the threshold of a batch from or to pinned memory, relative to one copy by the runtime. */
    fun pinned(columns: Int, bytes: Long): Threshold = Threshold(if (columns == 1) 0.95 else 0.9, fixed(bytes))

    /**
     * Returns the threshold of a batch from or to pageable memory, relative to the slower one of two copies: the
     * runtime's pinned copy, and a copy by the CPU's threads.
     */
    fun pageable(bytes: Long): Threshold = Threshold(0.6, fixed(bytes))

    /** The threshold of a coroutine's wait, relative to a blocked thread's. */
    val wait: Threshold = Threshold(1.0, 10.0)

    /**
     * The threshold of a long wait of a coroutine. The waiting code sleeps between two queries for a 32nd of the past
     * waiting time, and a timer is late by about 50 us.
     */
    val longWait: Threshold = Threshold(0.96, 100.0)

    private fun fixed(bytes: Long): Double = if (bytes < LARGE) FIXED_MICROS else 0.0
}
