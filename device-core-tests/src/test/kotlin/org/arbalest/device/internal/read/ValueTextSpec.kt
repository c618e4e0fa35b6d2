// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.statistics.Statistics
import org.arbalest.device.support.EveryType
import org.arbalest.device.types.ArrowTimeUnit
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Extension
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.fake.FakeExtension
import java.lang.foreign.Arena
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.time.OffsetDateTime
import java.time.ZoneOffset

/** What is shown of values: as people write them, and the stored number where that cannot be. */
class ValueTextSpec : FunSpec({
    extension(ResourceCountersExtension)
    extension(FakeExtension)

    val cpu = Devices.cpu()

    fun numbers(type: DataType, vararg stored: Long?): DeviceArray = BatchBuilder.of(cpu, stored.size).use { batch ->
        val column = batch.column(Field.of("t", type))
        for (value in stored) if (value == null) column.appendNull() else column.append(value)
        batch.build()
    }

    /** As they are stored, also what builders refuse. */
    fun stored(type: DataType, vararg values: Long): DeviceArray = BatchBuilder.of(cpu, values.size).use { batch ->
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

    /** The cells of a batch's only column. */
    fun cells(batch: DeviceArray) = batch.use { it.toString().lines().drop(4).map(String::trim) }

    fun cells(type: DataType, vararg values: Long?) = cells(numbers(type, *values))

    fun difference(type: DataType, one: Long, other: Long) = numbers(type, one).use { left ->
        numbers(type, other).use { right -> left.difference(right) }
    }

    val day = 19_782L // 2024-02-29
    val noon = day * 86_400 + 43_200

    test(
        "dates, times, timestamps in their zone and durations are shown as people read them; get answers what is " +
            "stored [READ-64]",
    ) {
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

    test("the longest point in time is not cut [READ-64]") {
        cells(DataType.timestamp(ArrowTimeUnit.NANOSECOND, "+05:45"), noon * 1_000_000_000 + 123_456_789) shouldBe
            listOf("2024-02-29T17:45:00.123456789+05:45")
        cells(DataType.dictionary(DataType.INT8, DataType.timestamp(ArrowTimeUnit.NANOSECOND, "+05:45")), 1) shouldBe
            listOf("1970-01-01T05:45:00.000000001+05:45")
    }

    test("dates and times in lists, structs, dictionaries and unions, too [READ-64]") {
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

    test("what java.time does not have, or what is no value of the type, is shown as the number that is stored " +
        "[READ-64]") {
        cells(stored(DataType.time(ArrowTimeUnit.SECOND), 86_400, -1)) shouldBe listOf("86400", "-1")
        cells(stored(DataType.DATE64, day * 86_400_000 + 5)) shouldBe listOf("1709164800005")
        cells(DataType.timestamp(ArrowTimeUnit.SECOND, null), Long.MAX_VALUE) shouldBe listOf("${Long.MAX_VALUE}")
        cells(DataType.timestamp(ArrowTimeUnit.SECOND, "UTC"), Long.MIN_VALUE) shouldBe listOf("${Long.MIN_VALUE}")
        stored(DataType.DATE64, 5).use { left -> stored(DataType.DATE64, 6).use { left.difference(it) } } shouldBe
            "t[0]: 5, and 6"
    }

    test("a zone that java.time does not know: the point in time, in UTC [READ-64]") {
        cells(DataType.timestamp(ArrowTimeUnit.SECOND, "Mars/Olympus"), noon) shouldBe listOf("2024-02-29T12:00:00Z")
    }

    test("dates and times in the text of statistics; min answers what is stored [READ-64]") {
        numbers(DataType.DATE32, day, day + 1).use { dates ->
            val statistics = Statistics.compute(dates)
            statistics.column(0).min() shouldBe day
            statistics.column(0).toString() shouldContain "ARROW:min_value:exact=2024-02-29"
        }
    }

    test("the null rows of a struct's handle are nulls, which its fields' are not [READ-65]") {
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

    test("an extension type's array is one column; a timestamp with an offset is shown as one [READ-65]") {
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

    test(
        "the head is no wider than the values, the name or sixteen characters: a type is cut, a dictionary's indices " +
            "are left out [READ-66]",
    ) {
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

    test("a batch without columns is its title; one more row is no rows [READ-66]") {
        BatchBuilder.of(cpu, 6).use { it.build() }.use { it.toString() shouldBe "0 columns, 6 rows, on CPU" }
        numbers(DataType.INT8, 1, 2).use { it.toString(1).lines().last() shouldBe "… 1 more row" }
    }

    test(
        "a column's text has its first values, as far as a line goes; none where they cannot be read at once [READ-67]",
    ) {
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

    test("a type's text is its name, as a field has it, in messages, too [SCH-23]") {
        DataType.INT64.toString() shouldBe "int64"
        DataType.list(Field.of("item", DataType.UTF8)).toString() shouldBe "list<item: utf8>"
        shouldThrow<IllegalArgumentException> { Schema.ofStruct(Field.of("x", DataType.INT8)) }.message shouldBe
            "a record batch's schema is a struct, not int8"
        for (field in EveryType.fields) field.toString().removePrefix("${field.name()}: ") shouldContain
            field.type().toString()
    }
})
