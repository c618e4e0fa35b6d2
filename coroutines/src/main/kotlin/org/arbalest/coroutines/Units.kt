// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.builders.ColumnBuilder
import org.arbalest.device.types.ArrowTimeUnit
import org.arbalest.device.types.FlatType.TimeType
import java.time.LocalDate

private const val NANOS = 1_000_000_000L

/** How many of this unit a second has. */
internal val ArrowTimeUnit.perSecond: Long
    get() = when (this) {
        ArrowTimeUnit.SECOND -> 1
        ArrowTimeUnit.MILLISECOND -> 1_000
        ArrowTimeUnit.MICROSECOND -> 1_000_000
        ArrowTimeUnit.NANOSECOND -> NANOS
    }

/** Seconds and nanoseconds as a number of this unit, rounded down; [ArithmeticException] beyond 64 bits. */
private fun ArrowTimeUnit.count(seconds: Long, nanos: Int): Long {
    val rest = nanos / (NANOS / perSecond)
    // The whole of a negative second may be beyond the 64 bits although its last part is not.
    if (seconds < 0 && rest > 0) return Math.addExact(Math.multiplyExact(seconds + 1, perSecond), rest - perSecond)
    return Math.addExact(Math.multiplyExact(seconds, perSecond), rest)
}

/**
 * Appends seconds and nanoseconds as a number of the unit, rounded down; [value] is what they are of, for the error.
 */
@PublishedApi
internal fun ColumnBuilder.appendTime(unit: ArrowTimeUnit, seconds: Long, nanos: Int, value: Any) {
    append(exactly(value) { unit.count(seconds, nanos) })
}

/** Appends a day as milliseconds. */
@PublishedApi
internal fun ColumnBuilder.appendMillis(day: LocalDate) {
    append(exactly(day) { Math.multiplyExact(day.toEpochDay(), MILLIS_PER_DAY) })
}

private inline fun ColumnBuilder.exactly(value: Any, count: () -> Long): Long =
    try {
        count()
    } catch (e: ArithmeticException) {
        throw ArithmeticException("${field()}, row ${length()}: $value is beyond what 64 bits hold")
            .apply { initCause(e) }
    }

internal const val MILLIS_PER_DAY: Long = 86_400_000

@PublishedApi
internal fun timeType(unit: ArrowTimeUnit, bits: Int): TimeType {
    val actual = if (unit <= ArrowTimeUnit.MILLISECOND) 32 else 64
    require(bits == actual) { "times in ${unit}s have $actual bits: use time$actual" }
    return TimeType(unit)
}
