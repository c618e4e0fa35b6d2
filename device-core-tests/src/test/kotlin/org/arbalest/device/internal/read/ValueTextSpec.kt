// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.statistics.Statistics
import org.arbalest.device.types.ArrowTimeUnit
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Extension
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import org.arbalest.support.EveryType
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.fake.FakeExtension
import java.lang.foreign.Arena
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.time.OffsetDateTime
import java.time.ZoneOffset

/** Tests of the text of values: dates and times in ISO form, and the stored number if java.time cannot hold it. */
class ValueTextSpec : FunSpec({
    extension(ResourceCountersExtension)
    extension(FakeExtension)

    val cpu = Devices.cpu()

    fun numbers(type: DataType, vararg stored: Long?): RecordBatch = BatchBuilder.of(cpu, stored.size).use { batch ->
        val column = batch.column(Field.of("t", type))
        for (value in stored) if (value == null) column.appendNull() else column.append(value)
        batch.build()
    }

    /** Returns an array of these stored numbers, including those that builders reject. */
    fun stored(type: DataType, vararg values: Long): RecordBatch = BatchBuilder.of(cpu, values.size).use { batch ->
        val bytes = if (type.format() == "tts") 4 else 8
        Arena.ofConfined().use { arena ->
            val memory = arena.allocate(values.size.toLong() * bytes, 8)
            values.forEachIndexed { i, value ->
                if (bytes == 4) memory.setAtIndex(JAVA_INT, i.toLong(), value.toInt())
                else memory.setAtIndex(JAVA_LONG, i.toLong(), value)
            }
            batch.column(Field.of("t", type)).appendAll(memory)
        }
        batch.build()
    }

    /** Returns the cells of a batch's only column. */
    fun cells(batch: RecordBatch) = batch.use { it.toString().lines().drop(4).map(String::trim) }

    fun cells(type: DataType, vararg values: Long?) = cells(numbers(type, *values))

    fun difference(type: DataType, one: Long, other: Long) = numbers(type, one).use { left ->
        numbers(type, other).use { right -> left.difference(right) }
    }

    val day = 19_782L // 2024-02-29
    val noon = day * 86_400 + 43_200

    test("the text has dates, times and durations in ISO form, and get returns the stored number [READ-64]") {
        cells(DataType.DATE32, day, -1, null) shouldBe listOf("2024-02-29", "1969-12-31", "null")
        cells(DataType.DATE64, day * 86_400_000) shouldBe listOf("2024-02-29")
        cells(DataType.time(ArrowTimeUnit.SECOND), 43_200 + 61) shouldBe listOf("12:01:01")
        cells(DataType.time(ArrowTimeUnit.NANOSECOND), 1) shouldBe listOf("00:00:00.000000001")
        cells(DataType.timestamp(ArrowTimeUnit.MILLISECOND, null), noon * 1000 + 5) shouldBe
            listOf("2024-02-29T12:00:00.005")
        cells(DataType.timestamp(ArrowTimeUnit.SECOND, "UTC"), noon) shouldBe listOf("2024-02-29T12:00Z")
        cells(DataType.timestamp(ArrowTimeUnit.SECOND, "Europe/Berlin"), noon) shouldBe listOf("2024-02-29T13:00+01:00")
        cells(DataType.duration(ArrowTimeUnit.MILLISECOND), -1500) shouldBe listOf("PT-1.5S")
        numbers(DataType.DATE32, day).use { it.column("t").get(0) shouldBe day }
        difference(DataType.DATE32, day, day + 1) shouldBe "t[0]: 2024-02-29, and 2024-03-01"
    }

    test("the text of the longest timestamp is not cut [READ-64]") {
        cells(DataType.timestamp(ArrowTimeUnit.NANOSECOND, "+05:45"), noon * 1_000_000_000 + 123_456_789) shouldBe
            listOf("2024-02-29T17:45:00.123456789+05:45")
        cells(DataType.dictionary(DataType.INT8, DataType.timestamp(ArrowTimeUnit.NANOSECOND, "+05:45")), 1) shouldBe
            listOf("1970-01-01T05:45:00.000000001+05:45")
    }

    test("the text has dates in ISO form in lists, structs, dictionaries and unions [READ-64]") {
        val date = Field.of("d", DataType.DATE32)
        BatchBuilder.of(cpu, 1).use { batch ->
            val list = batch.column(Field.of("l", DataType.list(date)))
            list.appendList(2)
            list.items().append(day)
            list.items().appendNull()
            batch.column(Field.of("s", DataType.struct(date))).appendStruct().child("d").append(day)
            batch.column(Field.of("e", DataType.dictionary(DataType.INT8, DataType.DATE32))).append(day)
            val union = batch.column(Field.of("u", DataType.denseUnion(date)))
            union.appendUnion(0)
            union.child(0).append(day)
            batch.build()
        }.use {
            it.toString().lines().last() shouldBe
                "[2024-02-29, null] | {d: 2024-02-29}  | 2024-02-29       | 2024-02-29"
        }
    }

    test("the text has the stored number of a value that is invalid or that java.time cannot hold [READ-64]") {
        cells(stored(DataType.time(ArrowTimeUnit.SECOND), 86_400, -1)) shouldBe listOf("86400", "-1")
        cells(stored(DataType.DATE64, day * 86_400_000 + 5)) shouldBe listOf("1709164800005")
        cells(DataType.timestamp(ArrowTimeUnit.SECOND, null), Long.MAX_VALUE) shouldBe listOf("${Long.MAX_VALUE}")
        cells(DataType.timestamp(ArrowTimeUnit.SECOND, "UTC"), Long.MIN_VALUE) shouldBe listOf("${Long.MIN_VALUE}")
        stored(DataType.DATE64, 5).use { left -> stored(DataType.DATE64, 6).use { left.difference(it) } } shouldBe
            "t[0]: 5, and 6"
    }

    test("the text of a timestamp in a zone unknown to java.time is in UTC [READ-64]") {
        cells(DataType.timestamp(ArrowTimeUnit.SECOND, "Mars/Olympus"), noon) shouldBe listOf("2024-02-29T12:00:00Z")
    }

    test("the text of statistics has dates in ISO form, and min returns the stored number [READ-64]") {
        numbers(DataType.DATE32, day, day + 1).use { dates ->
            val statistics = Statistics.compute(dates)
            statistics.column(0).min() shouldBe day
            statistics.column(0).toString() shouldContain "ARROW:min_value:exact=2024-02-29"
        }
    }

    test("the text of a struct array has one null for a null row, and one per null field [READ-65]") {
        BatchBuilder.of(cpu, 3).use { batch ->
            val struct = batch.column(
                Field.of("s", DataType.struct(Field.of("x", DataType.INT32), Field.of("y", DataType.UTF8))),
            )
            struct.appendStruct().child("x").append(7)
            struct.child("y").append("seven")
            struct.appendNullWithParts()
            struct.appendStruct().child("x").appendNull()
            struct.child("y").appendNull()
            batch.build()
        }.use { batch ->
            batch.retainChild(0).use {
                it.toString().lines().drop(4) shouldBe listOf("    7 | seven", "null", " null | null")
            }
            batch.retainChild(0).use { struct ->
                struct.slice(1, 1).use { it.toString().lines().drop(4) shouldBe listOf("null") }
            }
        }
    }

    test("the text of an extension array has one column, and a timestamp with an offset is one value [READ-65]") {
        BatchBuilder.of(cpu, 2).use { batch ->
            val storage = DataType.struct(Field.of("timestamp", DataType.timestamp(ArrowTimeUnit.SECOND, "UTC"))
                .withNullable(false), Field.of("offset_minutes", DataType.INT16).withNullable(false))
            val column = batch.column(Field.of("at", storage).withExtension(Extension.TimestampWithOffset()))
            column.append(OffsetDateTime.of(2024, 2, 29, 13, 0, 0, 0, ZoneOffset.ofHours(1)))
            column.appendNullWithParts()
            batch.build()
        }.use { batch ->
            batch.retainChild(0).use {
                it.toString().lines().drop(1) shouldBe
                    listOf("at", "arrow.timestamp_with_…", "-".repeat(22), "2024-02-29T13:00+01:00", "null")
            }
            batch.toString().lines().drop(4) shouldBe listOf("2024-02-29T13:00+01:00", "null")
        }
    }

    test("the text's header cuts types to the width of the column, and omits index types of dictionaries [READ-66]") {
        BatchBuilder.of(cpu, 1).use { batch ->
            batch.column(Field.of("colour", DataType.dictionary(DataType.INT8, DataType.UTF8))).append("RED")
            batch.column(
                Field.of("when", DataType.timestamp(ArrowTimeUnit.MICROSECOND, "America/Argentina/Buenos_Aires")),
            ).append(0)
            batch.column(Field.of("price", DataType.list(Field.of("price", DataType.decimal128(38, 10))))).appendList(0)
            batch.build()
        }.use {
            it.toString().lines().drop(1) shouldBe listOf(
                "colour           | when                   | price",
                "dictionary<utf8> | timestamp[us, tz=Amer… | list<price: dec…",
                "-----------------+------------------------+-----------------",
                "RED              | 1969-12-31T21:00-03:00 | []",
            )
        }
    }

    test("the text of a batch without columns is its title, and one omitted row is singular [READ-66]") {
        BatchBuilder.of(cpu, 6).use { it.build() }.use { it.toString() shouldBe "0 columns, 6 rows, on CPU" }
        numbers(DataType.INT8, 1, 2).use { it.toString(1).lines().last() shouldBe "… 1 more row" }
    }

    test("a column's text has the values that fit into a line, or none if unreadable [READ-67]") {
        numbers(DataType.DATE32, day, null).use {
            it.column("t").toString() shouldBe "t: date32, length 2: [2024-02-29, null]"
        }
        numbers(DataType.INT64, *Array(1000) { 7L }).use {
            it.column("t").toString() shouldBe "t: int64, length 1000: [" + "7, ".repeat(39) + "7…"
        }
        val closed = numbers(DataType.INT8, 1)
        val column = closed.column("t")
        closed.close()
        column.toString() shouldBe "t: int8, length 1"
        numbers(DataType.INT8, 1).use { batch ->
            batch.copyTo(Devices.device(DeviceType.EXT_DEV, 0)).use { far ->
                far.synchronize()
                far.asColumn().column("t").toString() shouldBe "t: int8, length 1"
            }
        }
    }

    test("a type's text is its name, as in fields and in messages [SCH-23]") {
        DataType.INT64.toString() shouldBe "int64"
        DataType.list(Field.of("item", DataType.UTF8)).toString() shouldBe "list<item: utf8>"
        shouldThrow<IllegalArgumentException> { Schema.ofStruct(Field.of("x", DataType.INT8)) }.message shouldBe
            "a record batch's schema is a struct, not int8"
        for (field in EveryType.fields) field.toString().removePrefix("${field.name()}: ") shouldContain
            field.type().toString()
    }
})
