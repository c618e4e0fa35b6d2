// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.types.ArrowTimeUnit
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType.DurationType
import org.arbalest.device.types.FlatType.TimestampType
import java.time.Duration
import java.time.Instant
import java.time.LocalDate
import java.time.LocalDateTime
import java.time.LocalTime
import java.time.ZoneOffset
import java.util.function.IntPredicate

/** Days since 1970-01-01, in one copy; null where [isNull]. */
public fun ColumnScope.date32(name: String = "", values: IntArray, isNull: IntPredicate? = null) {
    column(Field.of(name, DataType.DATE32)).appendAll(values).nullWhere(isNull)
}

/** Dates, stored as 32-bit days. */
public inline fun ColumnScope.date32(name: String = "", value: (row: Int) -> LocalDate?) {
    fill(column(Field.of(name, DataType.DATE32)), value) { append(it.toEpochDay()) }
}

/** Dates, stored as 32-bit days; elements may be null; as many as there are rows. */
public fun ColumnScope.date32(name: String = "", values: List<LocalDate?>) {
    requireRows(name, values.size)
    date32(name) { values[it] }
}

/** Milliseconds since 1970-01-01, whole days, in one copy; null where [isNull]. */
public fun ColumnScope.date64(name: String = "", values: LongArray, isNull: IntPredicate? = null) {
    column(Field.of(name, DataType.DATE64)).appendAll(values).nullWhere(isNull)
}

/**
 * Dates, stored as 64-bit milliseconds.
 *
 * @throws ArithmeticException if one is out of the 64 bits' range; says the column, the row and the date
 */
public inline fun ColumnScope.date64(name: String = "", value: (row: Int) -> LocalDate?) {
    fill(column(Field.of(name, DataType.DATE64)), value) { appendMillis(it) }
}

/** Dates, stored as 64-bit milliseconds; elements may be null; as many as there are rows. */
public fun ColumnScope.date64(name: String = "", values: List<LocalDate?>) {
    requireRows(name, values.size)
    date64(name) { values[it] }
}

/** Seconds or milliseconds since midnight, in one copy; null where [isNull]. */
public fun ColumnScope.time32(name: String = "", values: IntArray, unit: ArrowTimeUnit, isNull: IntPredicate? = null) {
    column(Field.of(name, timeType(unit, 32))).appendAll(values).nullWhere(isNull)
}

/** Times of day, stored as 32-bit seconds or milliseconds, rounded down to the [unit]. */
public inline fun ColumnScope.time32(
    name: String = "",
    unit: ArrowTimeUnit = ArrowTimeUnit.MILLISECOND,
    value: (row: Int) -> LocalTime?,
) {
    val column = column(Field.of(name, timeType(unit, 32)))
    fill(column, value) { appendTime(unit, it.toSecondOfDay().toLong(), it.nano, it) }
}

/** Times of day of 32 bits, rounded down to the [unit]; elements may be null; as many as there are rows. */
public fun ColumnScope.time32(
    name: String = "",
    values: List<LocalTime?>,
    unit: ArrowTimeUnit = ArrowTimeUnit.MILLISECOND,
) {
    requireRows(name, values.size)
    time32(name, unit) { values[it] }
}

/** Microseconds or nanoseconds since midnight, in one copy; null where [isNull]. */
public fun ColumnScope.time64(name: String = "", values: LongArray, unit: ArrowTimeUnit, isNull: IntPredicate? = null) {
    column(Field.of(name, timeType(unit, 64))).appendAll(values).nullWhere(isNull)
}

/** Times of day, stored as 64-bit microseconds or nanoseconds, rounded down to the [unit]. */
public inline fun ColumnScope.time64(
    name: String = "",
    unit: ArrowTimeUnit = ArrowTimeUnit.MICROSECOND,
    value: (row: Int) -> LocalTime?,
) {
    val column = column(Field.of(name, timeType(unit, 64)))
    fill(column, value) { appendTime(unit, it.toSecondOfDay().toLong(), it.nano, it) }
}

/** Times of day of 64 bits, rounded down to the [unit]; elements may be null; as many as there are rows. */
public fun ColumnScope.time64(
    name: String = "",
    values: List<LocalTime?>,
    unit: ArrowTimeUnit = ArrowTimeUnit.MICROSECOND,
) {
    requireRows(name, values.size)
    time64(name, unit) { values[it] }
}

/**
 * Points in time, counted in the [unit] since 1970-01-01, in one copy; null where [isNull].
 *
 * @param timezone for display; null for local dates and times without a zone
 */
public fun ColumnScope.timestamp(
    name: String = "",
    values: LongArray,
    unit: ArrowTimeUnit,
    timezone: String? = "UTC",
    isNull: IntPredicate? = null,
) {
    column(Field.of(name, TimestampType(unit, timezone))).appendAll(values).nullWhere(isNull)
}

/** Points in time, whose elements may be null, rounded down to the [unit]; as many as there are rows. */
public fun ColumnScope.timestamp(
    name: String = "",
    values: List<Instant?>,
    unit: ArrowTimeUnit = ArrowTimeUnit.MICROSECOND,
    timezone: String = "UTC",
) {
    requireRows(name, values.size)
    timestamp(name, unit, timezone) { values[it] }
}

/**
 * Points in time, rounded down to the [unit].
 *
 * @param timezone for display
 * @throws ArithmeticException if one is out of the 64 bits' range; says the column, the row and the value
 */
public inline fun ColumnScope.timestamp(
    name: String = "",
    unit: ArrowTimeUnit = ArrowTimeUnit.MICROSECOND,
    timezone: String = "UTC",
    value: (row: Int) -> Instant?,
) {
    fill(column(Field.of(name, TimestampType(unit, timezone))), value) { appendTime(unit, it.epochSecond, it.nano, it) }
}

/**
 * Local dates and times, as timestamps without a zone, rounded down to the [unit].
 *
 * @throws ArithmeticException if one is out of the 64 bits' range; says the column, the row and the value
 */
public inline fun ColumnScope.localTimestamp(
    name: String = "",
    unit: ArrowTimeUnit = ArrowTimeUnit.MICROSECOND,
    value: (row: Int) -> LocalDateTime?,
) {
    val column = column(Field.of(name, TimestampType(unit, null)))
    fill(column, value) { appendTime(unit, it.toEpochSecond(ZoneOffset.UTC), it.nano, it) }
}

/** Local dates and times, rounded down to the [unit]; elements may be null; as many as there are rows. */
public fun ColumnScope.localTimestamp(
    name: String = "",
    values: List<LocalDateTime?>,
    unit: ArrowTimeUnit = ArrowTimeUnit.MICROSECOND,
) {
    requireRows(name, values.size)
    localTimestamp(name, unit) { values[it] }
}

/** Lengths of time, counted in the [unit], in one copy; null where [isNull]. */
public fun ColumnScope.duration(
    name: String = "",
    values: LongArray,
    unit: ArrowTimeUnit,
    isNull: IntPredicate? = null,
) {
    column(Field.of(name, DurationType(unit))).appendAll(values).nullWhere(isNull)
}

/**
 * Lengths of time, rounded down to the [unit].
 *
 * @throws ArithmeticException if one is out of the 64 bits' range; says the column, the row and the value
 */
public inline fun ColumnScope.duration(
    name: String = "",
    unit: ArrowTimeUnit = ArrowTimeUnit.MICROSECOND,
    value: (row: Int) -> Duration?,
) {
    fill(column(Field.of(name, DurationType(unit))), value) { appendTime(unit, it.seconds, it.nano, it) }
}

/** Lengths of time, rounded down to the [unit]; elements may be null; as many as there are rows. */
public fun ColumnScope.duration(
    name: String = "",
    values: List<Duration?>,
    unit: ArrowTimeUnit = ArrowTimeUnit.MICROSECOND,
) {
    requireRows(name, values.size)
    duration(name, unit) { values[it] }
}
