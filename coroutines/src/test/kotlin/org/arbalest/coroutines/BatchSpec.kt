// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Devices
import org.arbalest.device.builders.ColumnBuilder
import org.arbalest.device.monitoring.HandleWatch
import org.arbalest.device.types.ArrowTimeUnit
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Interval
import org.arbalest.device.types.Metadata
import org.arbalest.support.ResourceCountersExtension
import java.math.BigDecimal
import java.time.Duration
import java.time.Instant
import java.time.LocalDate
import java.time.LocalDateTime
import java.time.LocalTime
import java.time.OffsetDateTime
import java.time.Period
import java.time.ZonedDateTime
import java.util.BitSet
import java.util.UUID

internal data class Numbered(val number: Int)

private class Case(val format: String, val expected: List<Any?>, val column: ColumnScope.() -> Unit)

@OptIn(ExperimentalUnsignedTypes::class)
class BatchSpec : FunSpec({
    extension(ResourceCountersExtension)
    val cpu = Devices.cpu()
    val bits = BitSet().apply { set(1) }
    val day = LocalDate.of(1969, 7, 20)
    val time = LocalTime.of(20, 17, 40, 123_456_789)
    val moment = Instant.parse("1969-07-20T20:17:40.123456789Z")
    val price = BigDecimal("-1234567890123456789.05")

    val cases = mapOf(
        "null" to Case("n", listOf(null, null, null)) { nulls("x") },
        "nulls of a type" to Case("vu", listOf(null, null, null)) { nulls("x", DataType.UTF8_VIEW) },
        "nulls of a nested type" to Case("+s", listOf(null, null, null)) {
            nulls("x", DataType.struct(Field.of("y", DataType.fixedSizeList(Field.of("z", DataType.INT8), 2))))
        },
        "bool" to Case("b", listOf(true, null, false)) { bool("x", booleanArrayOf(true, true, false), bits::get) },
        "bool of lambda" to Case("b", listOf(true, null, false)) { bool("x") { if (it == 1) null else it == 0 } },
        "int8" to Case("c", listOf(-128L, null, 127L)) { int8("x", byteArrayOf(-128, 1, 127), bits::get) },
        "int8 of lambda" to Case("c", listOf(-1L, null, 1L)) { int8("x") { if (it == 1) null else (it - 1).toByte() } },
        "int16" to Case("s", listOf(-32768L, null, 3L)) { int16("x", shortArrayOf(-32768, 2, 3), bits::get) },
        "int16 of lambda" to Case("s", listOf(0L, null, 2L)) { int16("x") { if (it == 1) null else it.toShort() } },
        "int32" to Case("i", listOf(Int.MIN_VALUE.toLong(), null, 3L)) {
            int32("x", intArrayOf(Int.MIN_VALUE, 2, 3), bits::get)
        },
        "int32 of lambda" to Case("i", listOf(0L, null, 2L)) { int32("x") { if (it == 1) null else it } },
        "int64" to Case("l", listOf(Long.MIN_VALUE, null, 3L)) {
            int64("x", longArrayOf(Long.MIN_VALUE, 2, 3), bits::get)
        },
        "int64 of lambda" to Case("l", listOf(0L, null, 2L)) { int64("x") { if (it == 1) null else it.toLong() } },
        "int64 of ints" to Case("l", listOf(Int.MIN_VALUE.toLong(), null, 3L)) {
            int64("x", intArrayOf(Int.MIN_VALUE, 2, 3), bits::get)
        },
        "uint8" to Case("C", listOf(255L, null, 3L)) { uint8("x", ubyteArrayOf(255u, 2u, 3u), bits::get) },
        "uint8 of lambda" to Case("C", listOf(255L, null, 3L)) {
            uint8("x") { ubyteArrayOf(255u, 2u, 3u)[it].takeIf { v -> v != 2u.toUByte() } }
        },
        "uint16" to Case("S", listOf(65535L, null, 3L)) { uint16("x", ushortArrayOf(65535u, 2u, 3u), bits::get) },
        "uint16 of lambda" to Case("S", listOf(65535L, null, 65535L)) {
            uint16("x") { if (it == 1) null else UShort.MAX_VALUE }
        },
        "uint32" to Case("I", listOf(4294967295L, null, 3L)) {
            uint32("x", uintArrayOf(4294967295u, 2u, 3u), bits::get)
        },
        "uint32 of lambda" to Case("I", listOf(4294967295L, null, 4294967295L)) {
            uint32("x") { if (it == 1) null else UInt.MAX_VALUE }
        },
        "uint64" to Case("L", listOf(BigDecimal("18446744073709551615"), null, BigDecimal(3))) {
            uint64("x", ulongArrayOf(ULong.MAX_VALUE, 2u, 3u), bits::get)
        },
        "uint64 of lambda" to
            Case("L", listOf(BigDecimal("18446744073709551615"), null, BigDecimal("18446744073709551615"))) {
                uint64("x") { if (it == 1) null else ULong.MAX_VALUE }
            },
        "float16" to Case("e", listOf(0.5, null, 65504.0)) { float16("x", floatArrayOf(0.5f, 1f, 65504f), bits::get) },
        "float16 of lambda" to Case("e", listOf(0.0, null, 2.0)) {
            float16("x") { if (it == 1) null else it.toFloat() }
        },
        "float32" to Case("f", listOf(0.1f.toDouble(), null, 3.0)) {
            float32("x", floatArrayOf(0.1f, 1f, 3f), bits::get)
        },
        "float32 of lambda" to Case("f", listOf(0.0, null, 2.0)) {
            float32("x") { if (it == 1) null else it.toFloat() }
        },
        "float64" to Case("g", listOf(0.1, null, 3.0)) { float64("x", doubleArrayOf(0.1, 1.0, 3.0), bits::get) },
        "float64 of lambda" to Case("g", listOf(0.0, null, 2.0)) {
            float64("x") { if (it == 1) null else it.toDouble() }
        },
        "float64 of floats" to Case("g", listOf(0.1f.toDouble(), null, 3.0)) {
            float64("x", floatArrayOf(0.1f, 1f, 3f), bits::get)
        },
        "float64 of ints" to Case("g", listOf(-2147483648.0, null, 2147483647.0)) {
            float64("x", intArrayOf(Int.MIN_VALUE, 2, Int.MAX_VALUE), bits::get)
        },
        "float32 of integers by the core builder" to Case("f", listOf(5.0, null, 16777216.0)) {
            column(Field.of("x", DataType.FLOAT32)).append(5).appendNull().appendAll(intArrayOf(16777216))
        },
        "utf8" to Case("u", listOf("Ærø", null, "")) { utf8("x", listOf("Ærø", null, "")) },
        "utf8 of lambda" to Case("u", listOf("Ærø", null, "")) { utf8("x") { listOf("Ærø", null, "")[it] } },
        "largeUtf8" to Case("U", listOf("Ærø", null, "")) { largeUtf8("x", listOf("Ærø", null, "")) },
        "largeUtf8 of lambda" to Case("U", listOf("0", null, "2")) { largeUtf8("x") { if (it == 1) null else "$it" } },
        "binary" to Case("z", listOf(listOf<Byte>(0, -1), null, listOf<Byte>())) {
            binary("x", listOf(byteArrayOf(0, -1), null, byteArrayOf()))
        },
        "binary of lambda" to Case("z", listOf(listOf<Byte>(0), null, listOf<Byte>(2))) {
            binary("x") { if (it == 1) null else byteArrayOf(it.toByte()) }
        },
        "largeBinary" to Case("Z", listOf(listOf<Byte>(0), null, listOf<Byte>(2))) {
            largeBinary("x") { if (it == 1) null else byteArrayOf(it.toByte()) }
        },
        "fixedSizeBinary" to Case("w:2", listOf(listOf<Byte>(1, 2), null, listOf<Byte>(5, 6))) {
            fixedSizeBinary("x", 2, byteArrayOf(1, 2, 3, 4, 5, 6), bits::get)
        },
        "fixedSizeBinary of lambda" to Case("w:2", listOf(listOf<Byte>(7, 7), null, listOf<Byte>(7, 7))) {
            fixedSizeBinary("x", 2) { if (it == 1) null else byteArrayOf(7, 7) }
        },
        "date32" to Case("tdD", listOf(-1L, null, 1L)) { date32("x", intArrayOf(-1, 0, 1), bits::get) },
        "date32 of lambda" to Case("tdD", listOf(day.toEpochDay(), null, day.toEpochDay())) {
            date32("x") { if (it == 1) null else day }
        },
        "date64" to Case("tdm", listOf(-86_400_000L, null, 0L)) {
            date64("x", longArrayOf(-86_400_000, 0, 0), bits::get)
        },
        "date64 of lambda" to Case("tdm", listOf(-86_400_000L, null, -86_400_000L)) {
            date64("x") { if (it == 1) null else LocalDate.of(1969, 12, 31) }
        },
        "time32" to Case("ttm", listOf(1L, null, 3L)) {
            time32("x", intArrayOf(1, 2, 3), ArrowTimeUnit.MILLISECOND, bits::get)
        },
        "time32 of lambda" to Case("tts", listOf(73060L, null, 73060L)) {
            time32("x", ArrowTimeUnit.SECOND) { if (it == 1) null else time }
        },
        "time64" to Case("ttu", listOf(1L, null, 3L)) {
            time64("x", longArrayOf(1, 2, 3), ArrowTimeUnit.MICROSECOND, bits::get)
        },
        "time64 of lambda" to Case("ttn", listOf(time.toNanoOfDay(), null, time.toNanoOfDay())) {
            time64("x", ArrowTimeUnit.NANOSECOND) { if (it == 1) null else time }
        },
        "timestamp" to Case("tss:Europe/Oslo", listOf(1L, null, 3L)) {
            timestamp("x", longArrayOf(1, 2, 3), ArrowTimeUnit.SECOND, "Europe/Oslo", bits::get)
        },
        "timestamp of lambda" to Case("tsu:UTC", listOf(-14182939876544L, null, -14182939876544L)) {
            timestamp("x") { if (it == 1) null else moment }
        },
        "localTimestamp of lambda" to Case("tsm:", listOf(-14182939877L, null, -14182939877L)) {
            localTimestamp("x", ArrowTimeUnit.MILLISECOND) { if (it == 1) null else LocalDateTime.of(day, time) }
        },
        "duration" to Case("tDn", listOf(1L, null, 3L)) {
            duration("x", longArrayOf(1, 2, 3), ArrowTimeUnit.NANOSECOND, bits::get)
        },
        "duration of lambda" to Case("tDu", listOf(-1L, null, -1L)) {
            duration("x") { if (it == 1) null else Duration.ofNanos(-1) }
        },
        "decimal128" to Case("d:38,2", listOf(price, null, BigDecimal("0.00"))) {
            decimal128("x", listOf(price, null, BigDecimal.ZERO), 38, 2)
        },
        "decimal128 of lambda" to Case("d:38,2", listOf(price, null, price)) {
            decimal128("x", 38, 2) { if (it == 1) null else price }
        },
        "dictionary" to Case("c", listOf("b", null, "b")) { dictionary("x", listOf("b", null, "b"), DataType.INT8) },
        "dictionary of lambda" to Case("i", listOf("b", null, "b")) { dictionary("x") { if (it == 1) null else "b" } },
    )
    for ((name, case) in cases) {
        test("a column of $name passes through the C structs unchanged") {
            cpu.batch(3, columns = case.column).throughC().use { batch ->
                val column = batch["x"]
                column.field().type().format() shouldBe case.format
                column.values() shouldBe case.expected
                column.nullCount() shouldBe case.expected.count { it == null }.toLong()
            }
        }
    }

    test("a batch with no rows keeps its columns") {
        cpu.batch(0) {
            int64("a") { error("there is no row $it") }
            utf8("b", listOf())
            list("c", { row: Int -> listOf(row) }) { rows -> int32 { rows[it] } }
        }.throughC().use { it.schema().names shouldBe listOf("a", "b", "c") }
    }

    test("names, metadata and `notNull` pass through the C structs") {
        val unit = Metadata.of("unit", "min")
        cpu.batch(1, Metadata.of("source", "BTS")) {
            notNull.withMetadata(unit).int64("delay", longArrayOf(3))
            withMetadata(unit).notNull.struct("at") {
                notNull.float64("lat") { 0.5 }
                float64("lon") { 0.5 }
            }
            int64("plain", longArrayOf(4))
        }.throughC().use { batch ->
            batch.schema().metadata() shouldBe Metadata.of("source", "BTS")
            for (name in listOf("delay", "at")) {
                batch.schema()[name].isNullable shouldBe false
                batch.schema()[name].metadata() shouldBe unit
            }
            batch["at"]["lat"].field() shouldBe Field.of("lat", DataType.FLOAT64).withNullable(false)
            batch["at"]["lon"].field() shouldBe Field.of("lon", DataType.FLOAT64)
            batch.schema()["plain"] shouldBe Field.of("plain", DataType.INT64)
        }
    }

    test("`with(notNull)` applies to several columns, and these columns count their rows with the others") {
        cpu.batch {
            with(notNull) {
                int64("id", longArrayOf(1, 2))
                utf8("name") { row -> "n$row" }
            }
            with(withMetadata(Metadata.of("a", "1"))) {
                withMetadata(Metadata.of("b", "2"))
                    .column(Field.of("x", DataType.INT8).withMetadata(Metadata.of("c", "3"))).append(1).append(2)
            }
            list("tags", { row -> List(row) { "t" } }) { tags -> notNull.utf8("tag") { tags[it] } }
        }.use { batch ->
            batch.schema().fields().take(2).map { it.isNullable } shouldBe listOf(false, false)
            batch.schema()["x"].metadata() shouldBe Metadata.of("a", "1").with("b", "2").with("c", "3")
            batch.schema()["tags"].toString() shouldBe "tags: list<tag: utf8 not null>"
            batch.length() shouldBe 2
        }
    }

    test("metadata before an extension type does not replace the type") {
        cpu.batch(1) {
            notNull.withMetadata(Metadata.of("unit", "none")).uuid("id") { UUID(1, 2) }
        }.throughC().use { batch ->
            batch["id"].uuids()[0] shouldBe UUID(1, 2)
            batch.schema()["id"].metadata().get("unit") shouldBe "none"
            batch.schema()["id"].isNullable shouldBe false
        }
    }

    test("a null in a `notNull` column is rejected with the column's name") {
        shouldThrow<IllegalArgumentException> { cpu.batch(1) { notNull.int64("delay") { null } } }
            .message shouldContain "\"delay\" is not nullable"
        shouldThrow<IllegalArgumentException> { cpu.batch(1) { notNull.int64("delay", longArrayOf(1), { true }) } }
    }

    test("a negative row count is rejected") {
        shouldThrow<IllegalArgumentException> { cpu.batch(-1) { int64("delay", longArrayOf()) } }
    }

    test("a column of another length is rejected with its name") {
        shouldThrow<IllegalStateException> { cpu.batch(2) { int64("delay", longArrayOf(1)) } }.message shouldContain
            "\"delay\" has 1 values"
        shouldThrow<IllegalStateException> { cpu.batch(0) { utf8("city", listOf("a")) } }.message shouldBe
            "column \"city\" takes 0 values, one for each row, but received 1"
    }

    test("a list may contain nulls, and its length must be the row count") {
        val moments = listOf(Instant.ofEpochSecond(1, 5_000), null)
        cpu.batch {
            int32("int", listOf(1, null))
            int64("long", listOf(null, 2L))
            float64("double", listOf(1.0, null))
            bool("bool", listOf(null, true))
            timestamp("at", moments)
            time32("time32") { LocalTime.of(1, 2, 3, 4_000_000) }
            time64("time64") { LocalTime.of(1, 2, 3, 4_000) }
        }.use { batch ->
            batch["int"].ints().toList() shouldBe listOf(1, null)
            batch["long"].longs().toList() shouldBe listOf(null, 2L)
            batch["double"].doubles().toList() shouldBe listOf(1.0, null)
            batch["bool"].booleans().toList() shouldBe listOf(null, true)
            batch["at"].let { at -> listOf(at.getInstant(0), at.isNull(1)) } shouldBe listOf(moments[0], true)
            batch.schema()["at"].type() shouldBe DataType.timestamp(ArrowTimeUnit.MICROSECOND, "UTC")
            batch["time32"].getLocalTime(0) shouldBe LocalTime.of(1, 2, 3, 4_000_000)
            batch["time64"].getLocalTime(1) shouldBe LocalTime.of(1, 2, 3, 4_000)
        }
        shouldThrow<IllegalStateException> { cpu.batch(1) { int64("long", listOf(1L, 2L)) } }.message shouldContain
            "takes 1 values"
    }

    test("a timestamp takes times with a zone or an offset, and the column's zone") {
        val zoned = ZonedDateTime.parse("2024-02-29T12:00+01:00[Europe/Zurich]")
        val offset = OffsetDateTime.parse("2024-02-29T12:00:00.000000001+05:30")
        cpu.batch(rows = 2) {
            timestamp("zoned", timezone = "Europe/Zurich") { row -> zoned.takeIf { row == 0 } }
            timestamp("zones", listOf(zoned, null), timezone = "Europe/Zurich")
            timestamp("offset", ArrowTimeUnit.NANOSECOND, "UTC") { row -> offset.takeIf { row == 0 } }
            timestamp("offsets", listOf(offset, null), ArrowTimeUnit.SECOND, "UTC")
            timestamp("instant", timezone = "Europe/Zurich") { row -> zoned.toInstant().takeIf { row == 0 } }
        }.use { batch ->
            for (name in listOf("zoned", "zones", "instant")) {
                batch[name].getZonedDateTime(0) shouldBe zoned
                batch[name].isNull(1) shouldBe true
            }
            batch["offset"].getInstant(0) shouldBe offset.toInstant()
            batch["offsets"].getInstant(0) shouldBe offset.toInstant().minusNanos(1)
            batch["offsets"].isNull(1) shouldBe true
        }
    }

    test("the place of an open batch is the line of the call of batch, which is inlined") {
        fun here() = Throwable().stackTrace[1].lineNumber
        HandleWatch.start().use { watch ->
            val batches = listOf(cpu.batch(1) { int32("a") { it } }, cpu.batch { int32("a", intArrayOf(1)) })
            val last = here() - 1
            val rows = cpu.batch(listOf(1).map { Numbered(it) })
            val places = watch.open().map { open -> open.made().stackTrace.first { it.fileName == "BatchSpec.kt" } }
            places.map { it.lineNumber } shouldBe listOf(last, last, last + 2)
            (batches + rows).forEach { it.close() }
        }
    }

    test("a list of each type may contain nulls") {
        val (date, at, money) =
            Triple(LocalDate.of(2024, 2, 29), LocalDateTime.of(2024, 2, 29, 1, 2), BigDecimal("1.5"))
        val bytes = listOf(byteArrayOf(1, 2), null)
        val offset = OffsetDateTime.parse("2024-02-29T12:00:00+05:30")
        cpu.batch {
            int8("int8", listOf(1, null))
            int16("int16", listOf(1, null))
            uint8("uint8", listOf(200u, null))
            uint16("uint16", listOf(60_000u, null))
            uint32("uint32", listOf(UInt.MAX_VALUE, null))
            uint64("uint64", listOf(ULong.MAX_VALUE, null))
            float16("float16", listOf(0.5f, null))
            float32("float32", listOf(0.1f, null))
            date32("date32", listOf(date, null))
            date64("date64", listOf(date, null))
            time32("time32", listOf(LocalTime.of(1, 2), null))
            time64("time64", listOf(LocalTime.of(1, 2), null), ArrowTimeUnit.NANOSECOND)
            localTimestamp("local", listOf(at, null))
            duration("duration", listOf(Duration.ofSeconds(1, 1_000), null))
            decimal32("decimal32", listOf(money, null), 9, 1)
            decimal64("decimal64", listOf(money, null), 18, 1)
            decimal256("decimal256", listOf(money, null), 76, 1)
            binaryView("view", bytes)
            largeBinary("large", bytes)
            fixedSizeBinary("fixed", 2, bytes)
            intervalYearMonth("months", listOf(Period.ofMonths(14), null))
            intervalDayTime("days", listOf(Interval(0, 1, 2_000_000), null))
            intervalMonthDayNano("nanos", listOf(Interval(1, 2, 3), null))
            uuid("uuid", listOf(UUID(1, 2), null))
            bool8("bool8", listOf(true, null))
            json("json", listOf("{}", null))
            timestampWithOffset("offset", listOf(offset, null))
        }.throughC().use { batch ->
            batch.length() shouldBe 2
            for (column in batch.schema().names) batch[column].isNull(1) shouldBe true
            listOf("int8", "int16", "uint8", "uint16", "uint32").map { batch[it].getLong(0) } shouldBe
                listOf(1L, 1L, 200L, 60_000L, 4_294_967_295L)
            batch["uint64"].ulongs()[0] shouldBe ULong.MAX_VALUE
            listOf("float16", "float32").map { batch[it].getDouble(0) } shouldBe listOf(0.5, 0.1f.toDouble())
            listOf("date32", "date64").map { batch[it].getLocalDate(0) } shouldBe listOf(date, date)
            listOf("time32", "time64").map { batch[it].getLocalTime(0) } shouldBe List(2) { LocalTime.of(1, 2) }
            batch["local"].getLocalDateTime(0) shouldBe at
            batch["duration"].getDuration(0) shouldBe Duration.ofSeconds(1, 1_000)
            listOf("decimal32", "decimal64", "decimal256").map { batch[it].getDecimal(0) } shouldBe List(3) { money }
            listOf("view", "large", "fixed").map { batch[it].getBytes(0).toList() } shouldBe
                List(3) { listOf<Byte>(1, 2) }
            batch["months"].getPeriod(0).toTotalMonths() shouldBe 14
            listOf("days", "nanos").map { batch[it].getInterval(0) } shouldBe
                listOf(Interval(0, 1, 2_000_000), Interval(1, 2, 3))
            batch["uuid"].getUuid(0) shouldBe UUID(1, 2)
            batch["bool8"].flags()[0] shouldBe true
            batch["json"].getString(0) shouldBe "{}"
            batch["offset"].getOffsetDateTime(0) shouldBe offset
        }
        shouldThrow<IllegalArgumentException> { cpu.batch { notNull.int8("x", listOf(1, null)) } }.message shouldContain
            "\"x\" is not nullable"
        shouldThrow<IllegalStateException> { cpu.batch(1) { uuid("x", listOf()) } }.message shouldContain
            "takes 1 values"
    }

    test("an integer that a float32 cannot hold exactly is rejected with the column, the row and the value") {
        shouldThrow<IllegalArgumentException> {
            cpu.batch(2) { column(Field.of("delay", DataType.FLOAT32)).append(1).append(16777217) }
        }
            .message shouldBe "column \"delay\" of type float32 does not hold the integer 16777217 exactly, in row 1"
    }

    test("a time column of the wrong width for its unit is rejected") {
        shouldThrow<IllegalArgumentException> { cpu.batch(1) { time32("x", ArrowTimeUnit.NANOSECOND) { time } } }
            .message shouldContain "use time64"
    }

    test("a scope that the caller keeps throws after its block returns") {
        val outer: ColumnScope
        val inner: ColumnScope
        val builder: ColumnBuilder
        val batch = cpu.batch(1) {
            outer = this
            struct("at") { inner = this }
            builder = column(Field.of("x", DataType.INT64)).append(7)
        }
        batch.use {
            shouldThrow<IllegalStateException> { outer.int64("late", longArrayOf(1)) }
            shouldThrow<IllegalStateException> { inner.int64("late", longArrayOf(1)) }
            shouldThrow<IllegalStateException> { builder.append(8) }
            batch["x"].longs()[0] shouldBe 7
        }
    }
})
