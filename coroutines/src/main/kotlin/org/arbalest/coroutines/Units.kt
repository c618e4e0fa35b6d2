package org.arbalest.coroutines

import org.arbalest.device.DataType.TimeType
import org.arbalest.device.TimeUnit

private const val NANOS = 1_000_000_000L

/** How many of this unit a second has. */
internal val TimeUnit.perSecond: Long
    get() = when (this) {
        TimeUnit.SECOND -> 1
        TimeUnit.MILLISECOND -> 1_000
        TimeUnit.MICROSECOND -> 1_000_000
        TimeUnit.NANOSECOND -> NANOS
    }

/** Seconds and nanoseconds as a number of this unit, rounded down; [ArithmeticException] beyond 64 bits. */
@PublishedApi
internal fun TimeUnit.count(seconds: Long, nanos: Int): Long =
    Math.addExact(Math.multiplyExact(seconds, perSecond), nanos / (NANOS / perSecond))

/** The whole seconds in a number of this unit, rounded down. */
internal fun TimeUnit.seconds(count: Long): Long = Math.floorDiv(count, perSecond)

/** The nanoseconds beyond [seconds]; never negative. */
internal fun TimeUnit.nanos(count: Long): Long = Math.floorMod(count, perSecond) * (NANOS / perSecond)

@PublishedApi
internal fun timeType(unit: TimeUnit, bits: Int): TimeType {
    val actual = if (unit <= TimeUnit.MILLISECOND) 32 else 64
    require(bits == actual) { "times in ${unit}s have $actual bits: use time$actual" }
    return TimeType(unit)
}
