// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.builders.ColumnBuilder
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Interval
import org.arbalest.device.types.Metadata
import java.time.Period
import java.util.function.IntPredicate

/** Months, in one copy; null where [isNull]. */
public fun ColumnScope.intervalYearMonth(
    name: String = "",
    values: IntArray,
    isNull: IntPredicate? = null,
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
) {
    column(name, DataType.INTERVAL_YEAR_MONTH, nullable, metadata).appendAll(values).nullWhere(isNull)
}

/**
 * Years and months, stored as 32-bit months.
 *
 * @throws IllegalArgumentException if one has days, or more months than 32 bits count; says the column, the row and the value
 */
public inline fun ColumnScope.intervalYearMonth(
    name: String = "",
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
    value: (row: Int) -> Period?,
) {
    fill(column(name, DataType.INTERVAL_YEAR_MONTH, nullable, metadata), value) { appendMonths(it) }
}

/**
 * Days and milliseconds.
 *
 * @throws IllegalArgumentException if one has months, or nanoseconds that are not whole milliseconds of 32 bits; says the column, the row and the value
 */
public inline fun ColumnScope.intervalDayTime(
    name: String = "",
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
    value: (row: Int) -> Interval?,
) {
    fill(column(name, DataType.INTERVAL_DAY_TIME, nullable, metadata), value) { append(it) }
}

/** Months, days and nanoseconds. */
public inline fun ColumnScope.intervalMonthDayNano(
    name: String = "",
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
    value: (row: Int) -> Interval?,
) {
    fill(column(name, DataType.INTERVAL_MONTH_DAY_NANO, nullable, metadata), value) { append(it) }
}

@PublishedApi
internal fun ColumnBuilder.appendMonths(period: Period) {
    require(period.days == 0) { "${field()}, row ${length()}: $period has ${period.days} days, and is to be months only" }
    append(period.toTotalMonths())
}
