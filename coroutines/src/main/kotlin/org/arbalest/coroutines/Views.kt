package org.arbalest.coroutines

import org.arbalest.device.Column
import org.arbalest.device.DataType
import org.arbalest.device.DataType.DateType
import org.arbalest.device.DataType.DateUnit
import org.arbalest.device.DataType.DurationType
import org.arbalest.device.DataType.IntType
import org.arbalest.device.DataType.TimeType
import org.arbalest.device.DataType.TimestampType
import java.math.BigDecimal
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

/** Dates; [IllegalArgumentException] for a column of another type. */
public fun Column.dates(): ObjectView<LocalDate> {
    val perDay = if (typed<DateType>("dates").unit() == DateUnit.DAY) 1L else MILLIS_PER_DAY
    return ObjectView(this) { column, row -> LocalDate.ofEpochDay(Math.floorDiv(column.getLong(row), perDay)) }
}

/** Times of day; [IllegalArgumentException] for a column of another type. */
public fun Column.times(): ObjectView<LocalTime> {
    val unit = typed<TimeType>("times").unit()
    return ObjectView(this) { column, row ->
        val count = column.getLong(row)
        LocalTime.ofSecondOfDay(unit.seconds(count)).plusNanos(unit.nanos(count))
    }
}

/** Timestamps with a zone, or without one as if in UTC; [IllegalArgumentException] for a column of another type. */
public fun Column.instants(): ObjectView<Instant> {
    val unit = typed<TimestampType>("instants").unit()
    return ObjectView(this) { column, row ->
        val count = column.getLong(row)
        Instant.ofEpochSecond(unit.seconds(count), unit.nanos(count))
    }
}

/** Timestamps without a zone, or those with one as they are in UTC; [IllegalArgumentException] for another type. */
public fun Column.localDateTimes(): ObjectView<LocalDateTime> {
    val unit = typed<TimestampType>("dates and times").unit()
    return ObjectView(this) { column, row ->
        val count = column.getLong(row)
        LocalDateTime.ofEpochSecond(unit.seconds(count), unit.nanos(count).toInt(), ZoneOffset.UTC)
    }
}

/** Lengths of time; [IllegalArgumentException] for a column of another type. */
public fun Column.durations(): ObjectView<Duration> {
    val unit = typed<DurationType>("durations").unit()
    return ObjectView(this) { column, row ->
        val count = column.getLong(row)
        Duration.ofSeconds(unit.seconds(count), unit.nanos(count))
    }
}

private const val MILLIS_PER_DAY = 86_400_000L

private inline fun <reified T : DataType> Column.typed(what: String): T =
    field().type() as? T ?: throw IllegalArgumentException("column $this cannot be read as $what")
