package org.arbalest.coroutines

import org.arbalest.device.Column
import org.arbalest.device.DataType
import org.arbalest.device.FlatType.DateType
import org.arbalest.device.FlatType.DateUnit
import org.arbalest.device.FlatType.DurationType
import org.arbalest.device.FlatType.IntType
import org.arbalest.device.FlatType.TimeType
import org.arbalest.device.FlatType.TimestampType
import java.math.BigDecimal
import java.time.DateTimeException
import java.time.Duration
import java.time.Instant
import java.time.LocalDate
import java.time.LocalDateTime
import java.time.LocalTime
import java.time.ZoneOffset

/** Integers, dates, times, timestamps and durations, as the numbers that they are stored as. */
public fun Column.longs(): LongView = LongView(this)

/** Unsigned integers of any width; [IllegalArgumentException] for a column of another type. */
public fun Column.ulongs(): ULongView {
    require(!typed<IntType>("unsigned integers").signed()) { "column $this cannot be read as unsigned integers" }
    return ULongView(this)
}

/** Integers that fit an `Int`. */
public fun Column.ints(): IntView = IntView(this)

/** Numbers of any type, as the nearest `Double`. */
public fun Column.doubles(): DoubleView = DoubleView(this)

/** Booleans. */
public fun Column.booleans(): BooleanView = BooleanView(this)

/** Text, dictionary-encoded or not. */
public fun Column.strings(): ObjectView<String> = ObjectView(this, Column::getString)

/** Copies of the bytes of binary or text. */
public fun Column.bytes(): ObjectView<ByteArray> = ObjectView(this, Column::getBytes)

/** Decimals, and integers as such, exactly. */
public fun Column.decimals(): ObjectView<BigDecimal> = ObjectView(this, Column::getDecimal)

/** The elements of each list as a column: `batch["tags"].lists()[row].strings()`. */
public fun Column.lists(): ObjectView<Column> = ObjectView(this, Column::getList)

/** Dates; [IllegalArgumentException] for a column of another type, [ArithmeticException] for one that `java.time` has not. */
public fun Column.dates(): ObjectView<LocalDate> {
    val perDay = if (typed<DateType>("dates").unit() == DateUnit.DAY) 1L else MILLIS_PER_DAY
    return timeView("date") { LocalDate.ofEpochDay(Math.floorDiv(it, perDay)) }
}

/** Times of day; [IllegalArgumentException] for a column of another type, [ArithmeticException] for what is none. */
public fun Column.times(): ObjectView<LocalTime> {
    val unit = typed<TimeType>("times").unit()
    return timeView("time of day") { LocalTime.ofSecondOfDay(unit.seconds(it)).plusNanos(unit.nanos(it)) }
}

/** Timestamps with a zone, or without one as if in UTC; [IllegalArgumentException] for a column of another type. */
public fun Column.instants(): ObjectView<Instant> {
    val unit = typed<TimestampType>("instants").unit()
    return timeView("point in time") { Instant.ofEpochSecond(unit.seconds(it), unit.nanos(it)) }
}

/** Timestamps without a zone, or those with one as they are in UTC; [IllegalArgumentException] for another type. */
public fun Column.localDateTimes(): ObjectView<LocalDateTime> {
    val unit = typed<TimestampType>("dates and times").unit()
    return timeView("date and time") { LocalDateTime.ofEpochSecond(unit.seconds(it), unit.nanos(it).toInt(), ZoneOffset.UTC) }
}

/** Lengths of time; [IllegalArgumentException] for a column of another type. */
public fun Column.durations(): ObjectView<Duration> {
    val unit = typed<DurationType>("durations").unit()
    return timeView("length of time") { Duration.ofSeconds(unit.seconds(it), unit.nanos(it)) }
}

/** A number as what `java.time` has for it, which counts fewer years than 64 bits hold: [ArithmeticException] beyond. */
private inline fun <T : Any> Column.timeView(what: String, crossinline of: (Long) -> T): ObjectView<T> = ObjectView(this) { column, row ->
    val stored = column.getLong(row)
    try {
        of(stored)
    } catch (e: DateTimeException) {
        throw ArithmeticException("column $column, row $row: $stored is no $what that java.time has").apply { initCause(e) }
    }
}

private inline fun <reified T : DataType> Column.typed(what: String): T =
    field().type() as? T ?: throw IllegalArgumentException("column $this cannot be read as $what")
