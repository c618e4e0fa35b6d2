// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.columns.Column
import org.arbalest.device.types.DataType
import org.arbalest.device.types.FlatType.DateType
import org.arbalest.device.types.FlatType.DurationType
import org.arbalest.device.types.FlatType.IntervalType
import org.arbalest.device.types.FlatType.IntervalUnit
import org.arbalest.device.types.FlatType.TimeType
import org.arbalest.device.types.FlatType.TimestampType
import org.arbalest.device.types.Interval
import org.arbalest.device.types.NestedType.UnionType
import java.time.Duration
import java.time.Instant
import java.time.LocalDate
import java.time.LocalDateTime
import java.time.LocalTime
import java.time.Period
import java.time.ZonedDateTime

/**
 * Returns a view of dates. Its `get` throws [ArithmeticException] for a date outside the range of `java.time`.
 *
 * @throws IllegalArgumentException if the column has another type
 */
public fun Column.dates(): ObjectView<LocalDate> = timeView<DateType, LocalDate>("dates", Column::getLocalDate)

/**
 * Returns a view of times of day. Its `get` throws [ArithmeticException] for a number that is not a time of day.
 *
 * @throws IllegalArgumentException if the column has another type
 */
public fun Column.times(): ObjectView<LocalTime> = timeView<TimeType, LocalTime>("times", Column::getLocalTime)

/**
 * Returns a view of timestamps as instants; a timestamp without a time zone is read as UTC.
 *
 * @throws IllegalArgumentException if the column has another type
 */
public fun Column.instants(): ObjectView<Instant> = timeView<TimestampType, Instant>("instants", Column::getInstant)

/**
 * Returns a view of timestamps as local dates and times; a timestamp with a time zone is read in UTC.
 *
 * @throws IllegalArgumentException if the column has another type
 */
public fun Column.localDateTimes(): ObjectView<LocalDateTime> =
    timeView<TimestampType, LocalDateTime>("dates and times", Column::getLocalDateTime)

/**
 * Returns a view of timestamps in the column's time zone.
 *
 * @throws IllegalArgumentException if the column has another type, or no time zone
 */
public fun Column.zonedDateTimes(): ObjectView<ZonedDateTime> =
    timeView<TimestampType, ZonedDateTime>("dates and times in a zone", Column::getZonedDateTime) {
        it.timezone() != null
    }

/**
 * Returns a view of durations.
 *
 * @throws IllegalArgumentException if the column has another type
 */
public fun Column.durations(): ObjectView<Duration> = timeView<DurationType, Duration>("durations", Column::getDuration)

/**
 * Returns a view of intervals of months.
 *
 * @throws IllegalArgumentException if the column has another type
 */
public fun Column.periods(): ObjectView<Period> =
    timeView<IntervalType, Period>("periods", Column::getPeriod) { it.unit() == IntervalUnit.YEAR_MONTH }

/**
 * Returns a view of intervals of any unit: `start + batch["every"].intervals()[row]`.
 *
 * @throws IllegalArgumentException if the column has another type
 */
public fun Column.intervals(): ObjectView<Interval> = timeView<IntervalType, Interval>("intervals", Column::getInterval)

/** Returns a view of one type, or of a union. The type of a union's row is checked when the row is read. */
private inline fun <reified T : DataType, V : Any> Column.timeView(
    what: String,
    reader: Reader<V>,
    isRight: (T) -> Boolean = { true },
): ObjectView<V> {
    val type = field().valueType()
    require(type is UnionType || type is T && isRight(type)) { "column $this cannot be read as $what" }
    return ObjectView(this, reader)
}
