// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.builders.ColumnBuilder
import org.arbalest.device.types.ArrowTimeUnit
import org.arbalest.device.types.FlatType.TimeType
import java.time.LocalDate

private const val NANOS = 1_000_000_000L

/** The number of these units in a second. */
internal val ArrowTimeUnit.perSecond: Long
    get() = when (this) {
        ArrowTimeUnit.SECOND -> 1
        ArrowTimeUnit.MILLISECOND -> 1_000
        ArrowTimeUnit.MICROSECOND -> 1_000_000
        ArrowTimeUnit.NANOSECOND -> NANOS
    }

/**
 * Returns seconds and nanoseconds as a number of this unit, rounded down.
 *
 * @throws ArithmeticException if the number does not fit 64 bits
 */
private fun ArrowTimeUnit.count(seconds: Long, nanos: Int): Long {
    val rest = nanos / (NANOS / perSecond)
    // The product for a negative second may exceed 64 bits although the sum does not.
    if (seconds < 0 && rest > 0) return Math.addExact(Math.multiplyExact(seconds + 1, perSecond), rest - perSecond)
    return Math.addExact(Math.multiplyExact(seconds, perSecond), rest)
}

/**
 * Appends seconds and nanoseconds as a number of the unit, rounded down.
 *
 * @param value the value that they represent, for the error message
 */
@PublishedApi
internal fun ColumnBuilder.appendTime(unit: ArrowTimeUnit, seconds: Long, nanos: Int, value: Any) {
    append(exactly(value) { unit.count(seconds, nanos) })
}

/** Appends a day as a number of milliseconds. */
@PublishedApi
internal fun ColumnBuilder.appendMillis(day: LocalDate) {
    append(exactly(day) { Math.multiplyExact(day.toEpochDay(), MILLIS_PER_DAY) })
}

private inline fun ColumnBuilder.exactly(value: Any, count: () -> Long): Long =
    try {
        count()
    } catch (e: ArithmeticException) {
        throw ArithmeticException("${field()}, row ${length()}: $value does not fit in 64 bits")
            .apply { initCause(e) }
    }

internal const val MILLIS_PER_DAY: Long = 86_400_000

@PublishedApi
internal fun timeType(unit: ArrowTimeUnit, bits: Int): TimeType {
    val actual = if (unit <= ArrowTimeUnit.MILLISECOND) 32 else 64
    require(bits == actual) { "times in ${unit}s have $actual bits: use time$actual" }
    return TimeType(unit)
}
