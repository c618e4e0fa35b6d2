// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.Devices
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.builders.ColumnBuilder
import org.arbalest.device.columns.Column
import org.arbalest.device.support.Balanced
import org.arbalest.device.types.ArrowTimeUnit
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Interval
import java.time.Duration
import java.time.Instant
import java.time.LocalDate
import java.time.LocalDateTime
import java.time.LocalTime
import java.time.Period
import java.time.ZoneId
import java.time.ZonedDateTime

/** Dates and times of java.time, which are appended exactly or rejected. */
class TimesBuilderSpec : FunSpec({
    extension(Balanced)

    /** Returns the type, and the types that encode its values. */
    fun wrapped(type: DataType) = listOf(
        type,
        DataType.dictionary(DataType.INT8, type),
        DataType.runEndEncoded(DataType.INT16, Field.of("v", type)),
        DataType.dictionary(DataType.INT8, DataType.runEndEncoded(DataType.INT16, Field.of("v", type))),
    )

    fun <T> built(
        type: DataType,
        fill: ColumnBuilder.() -> Unit,
        read: Column.(Long) -> T,
    ): List<T> = BatchBuilder.of(Devices.cpu(), 2).use { batch ->
        batch.column(Field.of("a", type)).fill()
        batch.build().use { array -> array.column("a").run { listOf(read(0), read(1)) } }
    }

    /** Checks that both values are read as they were appended, from each encoding. */
    fun <T> returns(
        type: DataType,
        one: T,
        other: T,
        append: ColumnBuilder.(T) -> ColumnBuilder,
        read: Column.(Long) -> T,
    ) {
        for (wrapped in wrapped(type)) withClue(wrapped) {
            built(wrapped, { append(one).append(other) }, read) shouldBe listOf(one, other)
        }
    }

    fun refused(
        type: DataType,
        good: ColumnBuilder.() -> Unit,
        bad: ColumnBuilder.() -> Unit,
    ): String = BatchBuilder.of(Devices.cpu(), 2).use { batch ->
        val column = batch.column(Field.of("a", type)).apply(good)
        val thrown = shouldThrow<IllegalArgumentException> { column.bad() }
        withClue("$type: $thrown") { column.length() shouldBe 1 }
        column.good()
        batch.build().close()
        thrown.message!!
    }

    test("dates, times, timestamps, durations and periods are appended exactly, also encoded [BLD-15]") {
        val day = LocalDate.of(2024, 2, 29)
        for (type in listOf(DataType.DATE32, DataType.DATE64))
            returns(type, day, LocalDate.of(-1, 1, 1), { append(it) }, { getLocalDate(it) })
        val time = LocalTime.of(23, 59, 59)
        for (unit in ArrowTimeUnit.entries) {
            returns(DataType.time(unit), time, LocalTime.MIDNIGHT, { append(it) }, { getLocalTime(it) })
            returns(DataType.timestamp(unit, null), day.atTime(time), LocalDateTime.of(1969, 12, 31, 23, 59, 59),
                { append(it) }, { getLocalDateTime(it) })
            returns(DataType.timestamp(unit, "Europe/Oslo"), Instant.ofEpochSecond(-1), Instant.EPOCH, { append(it) },
                { getInstant(it) })
            val oslo = ZonedDateTime.of(day.atTime(time), ZoneId.of("Europe/Oslo"))
            returns(DataType.timestamp(unit, "Europe/Oslo"), oslo, oslo.minusDays(1), { append(it) },
                { getZonedDateTime(it) })
            returns(DataType.duration(unit), Duration.ofSeconds(-5), Duration.ofDays(1), { append(it) },
                { getDuration(it) })
        }
        returns(DataType.INTERVAL_YEAR_MONTH, Period.ofMonths(14).normalized(), Period.ofYears(-1), { append(it) },
            { getPeriod(it).normalized() })
        built(DataType.INTERVAL_MONTH_DAY_NANO, { append(Period.of(1, 2, 3)).append(Period.ZERO) }) {
            getInterval(it)
        } shouldBe listOf(Interval(14, 3, 0), Interval(0, 0, 0))
        built(DataType.INTERVAL_DAY_TIME, { append(Period.ofDays(3)).append(Period.ZERO) }) { getInterval(it) } shouldBe
            listOf(Interval(0, 3, 0), Interval(0, 0, 0))
    }

    test("a timestamp or duration may have any 64-bit value, from the least to the greatest [BLD-15]") {
        for (bits in listOf(Long.MIN_VALUE, Long.MIN_VALUE + 1, -1_000_000_001, -1, 0, Long.MAX_VALUE)) {
            returns(DataType.timestamp(ArrowTimeUnit.NANOSECOND, "UTC"), Instant.ofEpochSecond(0, bits), Instant.EPOCH,
                { append(it) }, { getInstant(it) })
            returns(DataType.duration(ArrowTimeUnit.NANOSECOND), Duration.ofNanos(bits), Duration.ZERO, { append(it) },
                { getDuration(it) })
            returns(DataType.duration(ArrowTimeUnit.SECOND), Duration.ofSeconds(bits), Duration.ZERO, { append(it) },
                { getDuration(it) })
        }
    }

    test("a value that the unit cannot hold is rejected with its row, the reason and a type that fits [BLD-15]") {
        val nanos = Instant.parse("2024-01-01T00:00:00.000000001Z")
        val micros = DataType.timestamp(ArrowTimeUnit.MICROSECOND, "UTC")
        for (type in wrapped(micros)) {
            refused(type, { append(Instant.EPOCH) }, { append(nanos) }) shouldBe
                "column \"a\" of type timestamp[us, tz=UTC] does not hold 2024-01-01T00:00:00.000000001Z, which is " +
                "not a whole microsecond, in row 1; " +
                "timestamp[ns, tz=UTC] does"
        }
        val ns = DataType.timestamp(ArrowTimeUnit.NANOSECOND, "UTC")
        refused(ns, { append(Instant.EPOCH) }, { append(Instant.parse("9999-12-31T00:00:00Z")) }) shouldBe
            "column \"a\" of type timestamp[ns, tz=UTC] does not hold 9999-12-31T00:00:00Z " +
            "(1677-09-21T00:12:43.145224192Z to 2262-04-11T23:47:16.854775807Z), in row 1; timestamp[us, tz=UTC] does"
        refused(DataType.timestamp(ArrowTimeUnit.NANOSECOND, null), { append(LocalDateTime.of(1970, 1, 1, 0, 0)) },
            { append(LocalDateTime.of(1500, 1, 1, 0, 0, 0, 1)) }) shouldBe
            "column \"a\" of type timestamp[ns] does not hold 1500-01-01T00:00:00.000000001 " +
            "(1677-09-21T00:12:43.145224192 to 2262-04-11T23:47:16.854775807), in row 1"
        refused(DataType.time(ArrowTimeUnit.SECOND), { append(LocalTime.MIDNIGHT) },
            { append(LocalTime.of(0, 0, 0, 1_000_000)) }) shouldBe
            "column \"a\" of type time32[s] does not hold 00:00:00.001, which is not a whole second, in row 1; " +
            "time32[ms] does"
        refused(DataType.duration(ArrowTimeUnit.NANOSECOND), { append(Duration.ZERO) },
            { append(Duration.ofSeconds(Long.MAX_VALUE)) }) shouldBe
            "column \"a\" of type duration[ns] does not hold PT2562047788015215H30M7S (PT-2562047H-47M-16.854775808S " +
            "to PT2562047H47M16.854775807S), in row 1; duration[s] does"
        refused(DataType.DATE32, { append(LocalDate.EPOCH) }, { append(LocalDate.of(10_000_000, 1, 1)) }) shouldBe
            "column \"a\" of type date32 does not hold +10000000-01-01 (-5877641-06-23 to +5881580-07-11), in row " +
            "1; date64 does"
        refused(DataType.DATE64, { append(LocalDate.EPOCH) }, { append(LocalDate.MAX) }) shouldBe
            "column \"a\" of type date64 does not hold +999999999-12-31 (-292275055-05-17 to " +
            "+292278994-08-17), in row 1"
        refused(DataType.INTERVAL_YEAR_MONTH, { append(Period.ZERO) }, { append(Period.ofDays(3)) }) shouldBe
            "column \"a\" of type year_month_interval does not hold the period P3D (months only), in row 1; " +
            "month_day_nano_interval does"
        refused(DataType.INTERVAL_MONTH_DAY_NANO, { append(Period.ZERO) },
            { append(Period.ofYears(Int.MAX_VALUE)) }) shouldBe
            "column \"a\" of type month_day_nano_interval does not hold the period P2147483647Y, which has more " +
            "months than 32 bits count, in row 1"
    }

    test("each type accepts only its own java.time class, which for timestamps depends on the zone [BLD-15]") {
        refused(DataType.timestamp(ArrowTimeUnit.SECOND, null), { append(0) }, { append(Instant.EPOCH) }) shouldBe
            "column \"a\" of type timestamp[s] does not hold a point in time; append(LocalDateTime) and " +
            "append(long) take values"
        refused(DataType.timestamp(ArrowTimeUnit.SECOND, "UTC"), { append(0) }, { append(LocalDateTime.MIN) }) shouldBe
            "column \"a\" of type timestamp[s, tz=UTC] does not hold a date and time without a zone; " +
            "append(Instant), append(ZonedDateTime) and append(long) take values"
        refused(DataType.DATE32, { append(0) }, { append(LocalTime.NOON) }) shouldBe
            "column \"a\" of type date32 does not hold a time of day; append(LocalDate) and append(long) take values"
        refused(DataType.UTF8, { append("") }, { append(LocalDate.EPOCH) }) shouldBe
            "column \"a\" of type utf8 does not hold a date; append(String) and append(MemorySegment) take values"
        refused(DataType.INT64, { append(0) }, { append(Duration.ZERO) }) shouldBe
            "column \"a\" of type int64 does not hold a length of time; append(long) takes values"
        refused(DataType.duration(ArrowTimeUnit.SECOND), { append(0) }, { append(Period.ZERO) }) shouldBe
            "column \"a\" of type duration[s] does not hold a period; append(Duration) and append(long) take values"
    }
})
