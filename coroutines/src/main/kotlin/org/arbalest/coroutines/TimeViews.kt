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
 * Dates; [IllegalArgumentException] for a column of another type, [ArithmeticException] for one that `java.time` has
 * not.
 */
public fun Column.dates(): ObjectView<LocalDate> = timeView<DateType, LocalDate>("dates", Column::getLocalDate)

/** Times of day; [IllegalArgumentException] for a column of another type, [ArithmeticException] for what is none. */
public fun Column.times(): ObjectView<LocalTime> = timeView<TimeType, LocalTime>("times", Column::getLocalTime)

/** Timestamps with a zone, or without one as if in UTC; [IllegalArgumentException] for a column of another type. */
public fun Column.instants(): ObjectView<Instant> = timeView<TimestampType, Instant>("instants", Column::getInstant)

/** Timestamps without a zone, or those with one as they are in UTC; [IllegalArgumentException] for another type. */
public fun Column.localDateTimes(): ObjectView<LocalDateTime> =
    timeView<TimestampType, LocalDateTime>("dates and times", Column::getLocalDateTime)

/** Timestamps in the column's zone; [IllegalArgumentException] for another type, and for one without a zone. */
public fun Column.zonedDateTimes(): ObjectView<ZonedDateTime> =
    timeView<TimestampType, ZonedDateTime>("dates and times in a zone", Column::getZonedDateTime) {
        it.timezone() != null
    }

/** Lengths of time; [IllegalArgumentException] for a column of another type. */
public fun Column.durations(): ObjectView<Duration> = timeView<DurationType, Duration>("durations", Column::getDuration)

/** Intervals of months; [IllegalArgumentException] for a column of another type. */
public fun Column.periods(): ObjectView<Period> =
    timeView<IntervalType, Period>("periods", Column::getPeriod) { it.unit() == IntervalUnit.YEAR_MONTH }

/**
 * Intervals of any kind: `start + batch["every"].intervals()[row]`; [IllegalArgumentException] for a column of another
 * type.
 */
public fun Column.intervals(): ObjectView<Interval> = timeView<IntervalType, Interval>("intervals", Column::getInterval)

/** A view of one type, or of a union, of which each row is seen when it is read. */
private inline fun <reified T : DataType, V : Any> Column.timeView(
    what: String,
    reader: Reader<V>,
    isRight: (T) -> Boolean = { true },
): ObjectView<V> {
    val type = field().valueType()
    require(type is UnionType || type is T && isRight(type)) { "column $this cannot be read as $what" }
    return ObjectView(this, reader)
}
