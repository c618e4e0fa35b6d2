// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.builders.ColumnBuilder
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Interval
import java.time.Period
import java.util.function.IntPredicate

/** Months, in one copy; null where [isNull]. */
public fun ColumnScope.intervalYearMonth(name: String = "", values: IntArray, isNull: IntPredicate? = null) {
    column(Field.of(name, DataType.INTERVAL_YEAR_MONTH)).appendAll(values).nullWhere(isNull)
}

/**
 * Years and months, stored as 32-bit months.
 *
 * @throws IllegalArgumentException if one has days, or more months than 32 bits count; says the column, the row and the
 *     value
 */
public inline fun ColumnScope.intervalYearMonth(name: String = "", value: (row: Int) -> Period?) {
    fill(column(Field.of(name, DataType.INTERVAL_YEAR_MONTH)), value) { appendMonths(it) }
}

/** Years and months, stored as 32-bit months; elements may be null; as many as there are rows. */
public fun ColumnScope.intervalYearMonth(name: String = "", values: List<Period?>) {
    requireRows(name, values.size)
    intervalYearMonth(name) { values[it] }
}

/**
 * Days and milliseconds.
 *
 * @throws IllegalArgumentException if one has months, or nanoseconds that are not whole milliseconds of 32 bits; says
 *     the column, the row and the value
 */
public inline fun ColumnScope.intervalDayTime(name: String = "", value: (row: Int) -> Interval?) {
    fill(column(Field.of(name, DataType.INTERVAL_DAY_TIME)), value) { append(it) }
}

/** Days and milliseconds; elements may be null; as many as there are rows. */
public fun ColumnScope.intervalDayTime(name: String = "", values: List<Interval?>) {
    requireRows(name, values.size)
    intervalDayTime(name) { values[it] }
}

/** Months, days and nanoseconds. */
public inline fun ColumnScope.intervalMonthDayNano(name: String = "", value: (row: Int) -> Interval?) {
    fill(column(Field.of(name, DataType.INTERVAL_MONTH_DAY_NANO)), value) { append(it) }
}

/** Months, days and nanoseconds; elements may be null; as many as there are rows. */
public fun ColumnScope.intervalMonthDayNano(name: String = "", values: List<Interval?>) {
    requireRows(name, values.size)
    intervalMonthDayNano(name) { values[it] }
}

@PublishedApi
internal fun ColumnBuilder.appendMonths(period: Period) {
    require(period.days == 0) {
        "${field()}, row ${length()}: $period has ${period.days} days, and is to be months only"
    }
    append(period.toTotalMonths())
}
