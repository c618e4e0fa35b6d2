// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.builders.ColumnBuilder
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Interval
import java.time.Period
import java.util.function.IntPredicate

/** Adds a column of numbers of months in one bulk copy. Rows for which [isNull] returns true are null. */
public fun ColumnScope.intervalYearMonth(name: String = "", values: IntArray, isNull: IntPredicate? = null) {
    column(Field.of(name, DataType.INTERVAL_YEAR_MONTH)).appendAll(values).nullWhere(isNull)
}

/**
 * Adds a column of years and months, stored as 32-bit numbers of months.
 *
 * @throws IllegalArgumentException if a period has days, or more months than fit 32 bits; the message names the column,
 *     the row and the value
 */
public inline fun ColumnScope.intervalYearMonth(name: String = "", value: (row: Int) -> Period?) {
    fill(column(Field.of(name, DataType.INTERVAL_YEAR_MONTH)), value) { appendMonths(it) }
}

/**
 * Adds a column of years and months, stored as 32-bit months. The list has one element for each row; elements may be
 * null.
 */
public fun ColumnScope.intervalYearMonth(name: String = "", values: List<Period?>) {
    requireRows(name, values.size)
    intervalYearMonth(name) { values[it] }
}

/**
 * Adds a column of days and milliseconds.
 *
 * @throws IllegalArgumentException if an interval has months, or nanoseconds that are not whole milliseconds of 32
 *     bits; the message names the column, the row and the value
 */
public inline fun ColumnScope.intervalDayTime(name: String = "", value: (row: Int) -> Interval?) {
    fill(column(Field.of(name, DataType.INTERVAL_DAY_TIME)), value) { append(it) }
}

/** Adds a column of days and milliseconds. The list has one element for each row; elements may be null. */
public fun ColumnScope.intervalDayTime(name: String = "", values: List<Interval?>) {
    requireRows(name, values.size)
    intervalDayTime(name) { values[it] }
}

/** Adds a column of months, days and nanoseconds. */
public inline fun ColumnScope.intervalMonthDayNano(name: String = "", value: (row: Int) -> Interval?) {
    fill(column(Field.of(name, DataType.INTERVAL_MONTH_DAY_NANO)), value) { append(it) }
}

/** Adds a column of months, days and nanoseconds. The list has one element for each row; elements may be null. */
public fun ColumnScope.intervalMonthDayNano(name: String = "", values: List<Interval?>) {
    requireRows(name, values.size)
    intervalMonthDayNano(name) { values[it] }
}

@PublishedApi
internal fun ColumnBuilder.appendMonths(period: Period) {
    require(period.days == 0) {
        "${field()}, row ${length()}: $period has ${period.days} days, but the column holds months only"
    }
    append(period.toTotalMonths())
}
