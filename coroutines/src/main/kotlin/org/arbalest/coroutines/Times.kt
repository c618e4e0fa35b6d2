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
import java.time.OffsetDateTime
import java.time.ZoneOffset
import java.time.ZonedDateTime
import java.util.function.IntPredicate
import kotlin.experimental.ExperimentalTypeInference

/** Adds a column of days since 1970-01-01 in one bulk copy. Rows for which [isNull] returns true are null. */
public fun ColumnScope.date32(name: String = "", values: IntArray, isNull: IntPredicate? = null) {
    column(Field.of(name, DataType.DATE32)).appendAll(values).nullWhere(isNull)
}

/** Adds a column of dates, stored as 32-bit days. */
public inline fun ColumnScope.date32(name: String = "", value: (row: Int) -> LocalDate?) {
    fill(column(Field.of(name, DataType.DATE32)), value) { append(it.toEpochDay()) }
}

/** Adds a column of dates, stored as 32-bit days. The list has one element for each row; elements may be null. */
public fun ColumnScope.date32(name: String = "", values: List<LocalDate?>) {
    requireRows(name, values.size)
    date32(name) { values[it] }
}

/**
 * Adds a column of milliseconds since 1970-01-01 in one bulk copy; each is a number of whole days. Rows for which
 * [isNull] returns true are null.
 */
public fun ColumnScope.date64(name: String = "", values: LongArray, isNull: IntPredicate? = null) {
    column(Field.of(name, DataType.DATE64)).appendAll(values).nullWhere(isNull)
}

/**
 * Adds a column of dates, stored as 64-bit milliseconds.
 *
 * @throws ArithmeticException if a date does not fit 64 bits; the message names the column, the row and the date
 */
public inline fun ColumnScope.date64(name: String = "", value: (row: Int) -> LocalDate?) {
    fill(column(Field.of(name, DataType.DATE64)), value) { appendMillis(it) }
}

/**
 * Adds a column of dates, stored as 64-bit milliseconds. The list has one element for each row; elements may be null.
 */
public fun ColumnScope.date64(name: String = "", values: List<LocalDate?>) {
    requireRows(name, values.size)
    date64(name) { values[it] }
}

/**
 * Adds a column of seconds or milliseconds since midnight in one bulk copy. Rows for which [isNull] returns true are
 * null.
 */
public fun ColumnScope.time32(name: String = "", values: IntArray, unit: ArrowTimeUnit, isNull: IntPredicate? = null) {
    column(Field.of(name, timeType(unit, 32))).appendAll(values).nullWhere(isNull)
}

/** Adds a column of times of day, stored as 32-bit seconds or milliseconds, rounded down to the [unit]. */
public inline fun ColumnScope.time32(
    name: String = "",
    unit: ArrowTimeUnit = ArrowTimeUnit.MILLISECOND,
    value: (row: Int) -> LocalTime?,
) {
    val column = column(Field.of(name, timeType(unit, 32)))
    fill(column, value) { appendTime(unit, it.toSecondOfDay().toLong(), it.nano, it) }
}

/**
 * Adds a column of times of day of 32 bits, rounded down to the [unit]. The list has one element for each row; elements
 * may be null.
 */
public fun ColumnScope.time32(
    name: String = "",
    values: List<LocalTime?>,
    unit: ArrowTimeUnit = ArrowTimeUnit.MILLISECOND,
) {
    requireRows(name, values.size)
    time32(name, unit) { values[it] }
}

/**
 * Adds a column of microseconds or nanoseconds since midnight in one bulk copy. Rows for which [isNull] returns true
 * are null.
 */
public fun ColumnScope.time64(name: String = "", values: LongArray, unit: ArrowTimeUnit, isNull: IntPredicate? = null) {
    column(Field.of(name, timeType(unit, 64))).appendAll(values).nullWhere(isNull)
}

/**
 * Adds a column of times of day, stored as 64-bit microseconds or nanoseconds, rounded down to the [unit]. In contrast,
 * core's [BatchBuilder.time64][org.arbalest.device.builders.BatchBuilder.time64] stores
 * nanoseconds, and never rounds.
 *
 * @param unit the unit; microseconds unless given
 */
public inline fun ColumnScope.time64(
    name: String = "",
    unit: ArrowTimeUnit = ArrowTimeUnit.MICROSECOND,
    value: (row: Int) -> LocalTime?,
) {
    val column = column(Field.of(name, timeType(unit, 64)))
    fill(column, value) { appendTime(unit, it.toSecondOfDay().toLong(), it.nano, it) }
}

/**
 * Adds a column of times of day of 64 bits, rounded down to the [unit]. The list has one element for each row; elements
 * may be null.
 */
public fun ColumnScope.time64(
    name: String = "",
    values: List<LocalTime?>,
    unit: ArrowTimeUnit = ArrowTimeUnit.MICROSECOND,
) {
    requireRows(name, values.size)
    time64(name, unit) { values[it] }
}

/**
 * Adds a column of points in time in one bulk copy, as numbers of the [unit] since 1970-01-01T00:00. Rows for which
 * [isNull] returns true are null.
 *
 * @param timezone the time zone for display; null for local dates and times without a zone
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

/**
 * Adds a column of points in time, rounded down to the [unit]. The list has one element for each row; elements may be
 * null.
 */
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
 * Adds a column of points in time, rounded down to the [unit]. In contrast, core's
 * [BatchBuilder.timestamp][org.arbalest.device.builders.BatchBuilder.timestamp] stores nanoseconds, and never
 * rounds.
 *
 * @param unit the unit; microseconds unless given
 * @param timezone the time zone for display
 * @throws ArithmeticException if a value does not fit 64 bits; the message names the column, the row and the value
 */
@OptIn(ExperimentalTypeInference::class)
@OverloadResolutionByLambdaReturnType
public inline fun ColumnScope.timestamp(
    name: String = "",
    unit: ArrowTimeUnit = ArrowTimeUnit.MICROSECOND,
    timezone: String = "UTC",
    value: (row: Int) -> Instant?,
) {
    fill(column(Field.of(name, TimestampType(unit, timezone))), value) { appendTime(unit, it.epochSecond, it.nano, it) }
}

/**
 * Adds a column of points in time, given with a zone, rounded down to the [unit]. The column has one zone, [timezone],
 * for display; the values' own zones are not stored.
 *
 * @param unit the unit; microseconds unless given
 * @throws ArithmeticException if a value does not fit 64 bits; the message names the column, the row and the value
 */
@JvmName("timestampOfZoned")
@OptIn(ExperimentalTypeInference::class)
@OverloadResolutionByLambdaReturnType
public inline fun ColumnScope.timestamp(
    name: String = "",
    unit: ArrowTimeUnit = ArrowTimeUnit.MICROSECOND,
    timezone: String,
    value: (row: Int) -> ZonedDateTime?,
) {
    val column = column(Field.of(name, TimestampType(unit, timezone)))
    fill(column, value) { appendTime(unit, it.toEpochSecond(), it.nano, it) }
}

/**
 * Adds a column of points in time, given with a zone, rounded down to the [unit]. The list has one element for each
 * row; elements may be null. The values' own zones are not stored.
 */
@JvmName("timestampOfZoned")
public fun ColumnScope.timestamp(
    name: String = "",
    values: List<ZonedDateTime?>,
    unit: ArrowTimeUnit = ArrowTimeUnit.MICROSECOND,
    timezone: String,
) {
    requireRows(name, values.size)
    timestamp(name, unit, timezone) { values[it] }
}

/**
 * Adds a column of points in time, given with an offset, rounded down to the [unit]. The column has one zone,
 * [timezone], for display; `timestampWithOffset` stores the offsets, too.
 *
 * @param unit the unit; microseconds unless given
 * @throws ArithmeticException if a value does not fit 64 bits; the message names the column, the row and the value
 */
@JvmName("timestampOfOffset")
@OptIn(ExperimentalTypeInference::class)
@OverloadResolutionByLambdaReturnType
public inline fun ColumnScope.timestamp(
    name: String = "",
    unit: ArrowTimeUnit = ArrowTimeUnit.MICROSECOND,
    timezone: String,
    value: (row: Int) -> OffsetDateTime?,
) {
    val column = column(Field.of(name, TimestampType(unit, timezone)))
    fill(column, value) { appendTime(unit, it.toEpochSecond(), it.nano, it) }
}

/**
 * Adds a column of points in time, given with an offset, rounded down to the [unit]. The list has one element for each
 * row; elements may be null. `timestampWithOffset` stores the offsets, too.
 */
@JvmName("timestampOfOffset")
public fun ColumnScope.timestamp(
    name: String = "",
    values: List<OffsetDateTime?>,
    unit: ArrowTimeUnit = ArrowTimeUnit.MICROSECOND,
    timezone: String,
) {
    requireRows(name, values.size)
    timestamp(name, unit, timezone) { values[it] }
}

/**
 * Adds a column of local dates and times, as timestamps without a time zone, rounded down to the [unit]. In contrast,
 * core's [BatchBuilder.localTimestamp][org.arbalest.device.builders.BatchBuilder.localTimestamp] stores
 * nanoseconds, and never rounds.
 *
 * @param unit the unit; microseconds unless given
 * @throws ArithmeticException if a value does not fit 64 bits; the message names the column, the row and the value
 */
public inline fun ColumnScope.localTimestamp(
    name: String = "",
    unit: ArrowTimeUnit = ArrowTimeUnit.MICROSECOND,
    value: (row: Int) -> LocalDateTime?,
) {
    val column = column(Field.of(name, TimestampType(unit, null)))
    fill(column, value) { appendTime(unit, it.toEpochSecond(ZoneOffset.UTC), it.nano, it) }
}

/**
 * Adds a column of local dates and times, rounded down to the [unit]. The list has one element for each row; elements
 * may be null.
 */
public fun ColumnScope.localTimestamp(
    name: String = "",
    values: List<LocalDateTime?>,
    unit: ArrowTimeUnit = ArrowTimeUnit.MICROSECOND,
) {
    requireRows(name, values.size)
    localTimestamp(name, unit) { values[it] }
}

/** Adds a column of durations in one bulk copy, in the [unit]. Rows for which [isNull] returns true are null. */
public fun ColumnScope.duration(
    name: String = "",
    values: LongArray,
    unit: ArrowTimeUnit,
    isNull: IntPredicate? = null,
) {
    column(Field.of(name, DurationType(unit))).appendAll(values).nullWhere(isNull)
}

/**
 * Adds a column of durations, rounded down to the [unit]. In contrast, core's
 * [BatchBuilder.duration][org.arbalest.device.builders.BatchBuilder.duration] stores nanoseconds, and never rounds.
 *
 * @param unit the unit; microseconds unless given
 * @throws ArithmeticException if a value does not fit 64 bits; the message names the column, the row and the value
 */
public inline fun ColumnScope.duration(
    name: String = "",
    unit: ArrowTimeUnit = ArrowTimeUnit.MICROSECOND,
    value: (row: Int) -> Duration?,
) {
    fill(column(Field.of(name, DurationType(unit))), value) { appendTime(unit, it.seconds, it.nano, it) }
}

/**
 * Adds a column of durations, rounded down to the [unit]. The list has one element for each row; elements may be null.
 */
public fun ColumnScope.duration(
    name: String = "",
    values: List<Duration?>,
    unit: ArrowTimeUnit = ArrowTimeUnit.MICROSECOND,
) {
    requireRows(name, values.size)
    duration(name, unit) { values[it] }
}
