// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Devices
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.types.ArrowTimeUnit
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType.TimeType
import org.arbalest.support.ResourceCountersExtension
import java.lang.foreign.MemorySegment
import java.math.BigDecimal
import java.time.Duration
import java.time.Instant
import java.time.LocalDate
import java.time.LocalDateTime
import java.time.LocalTime

private data class Priced(val price: BigDecimal?)

@OptIn(ExperimentalUnsignedTypes::class)
class ViewsSpec : FunSpec({
    extension(ResourceCountersExtension)
    val cpu = Devices.cpu()

    test("primitive views are read by row, as an array and as a list") {
        cpu.batch(3) {
            int64("long", longArrayOf(1, 2, 3), { it == 1 })
            int32("int", intArrayOf(1, 2, 3), { it == 1 })
            float64("double", doubleArrayOf(0.5, 1.0, 2.0), { it == 1 })
            bool("bool", booleanArrayOf(true, true, false), { it == 1 })
        }.use { batch ->
            batch["long"].longs().run {
                toList() shouldBe listOf(1L, null, 3L)
                toArray(-1) shouldBe longArrayOf(1, -1, 3)
                listOf(size, nullCount, indices, get(0), getOrNull(1), isNull(1)) shouldBe
                    listOf(3, 1, 0..2, 1L, null, true)
            }
            batch["int"].ints().run {
                toList() shouldBe listOf(1, null, 3)
                toArray(0) shouldBe intArrayOf(1, 0, 3)
                get(2) shouldBe 3
            }
            batch["double"].doubles().run {
                toList() shouldBe listOf(0.5, null, 2.0)
                get(2) shouldBe 2.0
                toArray(Double.NaN)[1].isNaN() shouldBe true
            }
            batch["bool"].booleans().run {
                toList() shouldBe listOf(true, null, false)
                get(0) shouldBe true
                toArray(false) shouldBe booleanArrayOf(true, false, false)
                cardinality shouldBe 1
            }
        }
    }

    test("text that its field names numeric is read by decimals(), numbers() and data classes [EXT-12]") {
        val numeric = Field.opaque("price", DataType.UTF8, "numeric", "PostgreSQL")
        BatchBuilder.of(cpu, 3).use { builder ->
            builder.column(numeric, listOf("12.50", null, "NaN"))
            builder.build()
        }.use { batch ->
            batch["price"].decimals()[0] shouldBe BigDecimal("12.50")
            batch["price"].decimals().getOrNull(1) shouldBe null
            batch["price"].numbers()[2].isNaN() shouldBe true
            batch.slice(0, 2).use { it.toList<Priced>() } shouldBe listOf(Priced(BigDecimal("12.50")), Priced(null))
            shouldThrow<ArithmeticException> { batch.toList<Priced>() }.message shouldContain
                "column \"price\", row 2: \"NaN\""
        }
    }

    test(
        "primitive views read one width, integers() and numbers() read any, and a refusal names the suitable view " +
            "[READ-51]",
    ) {
        cpu.batch(2) {
            int16("short") { 7 }
            int32("int") { 8 }
            float32("float") { if (it == 0) 0.5f else null }
            dictionary("coded") { "b" }
        }.use { batch ->
            shouldThrow<IllegalArgumentException> { batch["int"].longs() }.message shouldBe
                "column int: int32, length 2 cannot be read by longs(): ints() has its values"
            shouldThrow<IllegalArgumentException> { batch["coded"].ints() }.message shouldContain
                "strings() has its values"
            batch["coded"].indices().ints().toArray() shouldBe intArrayOf(0, 0)
            batch["short"].integers().run {
                toList() shouldBe listOf(7L, 7L)
                get(1) shouldBe 7L
                toArray() shouldBe longArrayOf(7, 7)
            }
            batch["float"].numbers().run {
                toList() shouldBe listOf(0.5, null)
                get(0) shouldBe 0.5
                toArray(2.0) shouldBe doubleArrayOf(0.5, 2.0)
            }
            batch["int"].numbers()[0] shouldBe 8.0
            batch["float"].floats().run {
                toList() shouldBe listOf(0.5f, null)
                get(0) shouldBe 0.5f
                toArray(3f) shouldBe floatArrayOf(0.5f, 3f)
                listOf(getOrDefault(0, 9f), getOrDefault(1, 9f)) shouldBe listOf(0.5f, 9f)
                shouldThrow<NoSuchElementException> { get(1) }
            }
        }
    }

    test("forEachValid visits each value with its row and skips nulls [READ-52]") {
        cpu.batch(130) {
            int64("long") { if (it % 3 == 0) null else it.toLong() }
            int32("int") { if (it % 3 == 0) null else it }
            float64("double") { if (it % 3 == 0) null else it.toDouble() }
            float32("float") { if (it % 3 == 0) null else it.toFloat() }
            bool("bool") { if (it % 3 == 0) null else it % 2 == 0 }
        }.use { batch ->
            val rows = (0 until 130).filter { it % 3 != 0 }
            val seen = List(5) { mutableListOf<Pair<Int, Any>>() }
            batch["long"].longs().forEachValid { row, value -> seen[0] += row to value }
            batch["int"].ints().forEachValid { row, value -> seen[1] += row to value }
            batch["double"].doubles().forEachValid { row, value -> seen[2] += row to value }
            batch["float"].floats().forEachValid { row, value -> seen[3] += row to value }
            batch["bool"].booleans().forEachValid { row, value -> seen[4] += row to value }
            seen shouldBe listOf(
                rows.map { it to it.toLong() }, rows.map { it to it }, rows.map { it to it.toDouble() },
                rows.map { it to it.toFloat() },
                rows.map { it to (it % 2 == 0) },
            )
            batch["bool"].booleans().cardinality shouldBe rows.count { it % 2 == 0 }
        }
    }

    test("byteStrings() counts and compares text by its bytes") {
        cpu.batch(3) { utf8("city", arrayOf("Oslo", null, "Bergen")) }.use { batch ->
            val oslo = "Oslo".encodeToByteArray()
            batch["city"].byteStrings().run {
                toList().map { it?.decodeToString() } shouldBe listOf("Oslo", null, "Bergen")
                listOf(byteLength(0), byteLength(2)) shouldBe listOf(4L, 6L)
                listOf(contentEquals(0, oslo), contentEquals(2, oslo), startsWith(2, oslo)) shouldBe
                    listOf(true, false, false)
                (compare(2, oslo) < 0) shouldBe true
                (hash(0) == hash(2)) shouldBe false
                val rows = mutableListOf<Int>()
                forEachValid { rows += it }
                rows shouldBe listOf(0, 2)
                shouldThrow<NoSuchElementException> { byteLength(1) }
            }
        }
    }

    test("ulongs() reads unsigned 64-bit integers beyond Long") {
        cpu.batch(2) {
            uint64("u") { if (it == 0) ULong.MAX_VALUE else null }
            int64("i") { -1 }
        }.use { batch ->
            batch["u"].ulongs().run {
                toList() shouldBe listOf(ULong.MAX_VALUE, null)
                get(0) shouldBe ULong.MAX_VALUE
                toArray(7u).toList() shouldBe listOf(ULong.MAX_VALUE, 7uL)
            }
            shouldThrow<IllegalArgumentException> { batch["i"].ulongs() }.message shouldContain
                "cannot be read as unsigned integers"
        }
    }

    test("times that 64 bits cannot hold are rejected with column, row and value, and the extreme values are exact") {
        fun refused(columns: ColumnScope.() -> Unit): String =
            shouldThrow<ArithmeticException> { cpu.batch(2, columns = columns).close() }.message!!
        val far = LocalDate.of(300_000_000, 1, 1)
        refused { date64("d") { if (it == 0) null else far } } shouldBe
            "d: date64, row 1: +300000000-01-01 does not fit in 64 bits"
        refused { date64("d") { LocalDate.MIN } } shouldContain "d: date64, row 0: -999999999-01-01"
        refused {
            timestamp("t", ArrowTimeUnit.NANOSECOND) { Instant.parse("2262-04-11T23:47:16.854775808Z") }
        } shouldContain "t: timestamp[ns, tz=UTC], row 0: 2262-04-11T23:47:16.854775808Z does"
        refused {
            timestamp("t", ArrowTimeUnit.NANOSECOND) { Instant.parse("1677-09-21T00:12:43.145224191Z") }
        } shouldContain "row 0: 1677-09-21T00:12:43.145224191Z"
        refused { localTimestamp("t", ArrowTimeUnit.NANOSECOND) { LocalDateTime.MAX } } shouldContain
            "t: timestamp[ns], row 0: +999999999-12-31"
        refused { duration("t", ArrowTimeUnit.MICROSECOND) { Duration.ofSeconds(Long.MAX_VALUE) } } shouldContain
            "t: duration[us], row 0: PT"
        val ends = listOf(Long.MIN_VALUE, Long.MIN_VALUE + 1, -1, Long.MAX_VALUE)
        for (unit in ArrowTimeUnit.entries) {
            cpu.batch(4) {
                duration("stored", ends.toLongArray(), unit)
                timestamp("point", ends.toLongArray(), unit)
            }.use { batch ->
                val lengths = batch["stored"].durations().toList()
                val points = if (unit >= ArrowTimeUnit.MICROSECOND) batch["point"].instants().toList() else listOf()
                cpu.batch(4) {
                    duration("again", unit) { lengths[it] }
                    timestamp("point", unit) { points.getOrNull(it) }
                }.use { again ->
                    again["again"].longs().toList() shouldBe ends
                    if (points.isNotEmpty()) again["point"].longs().toList() shouldBe ends
                }
            }
        }
    }

    test("a value that java.time cannot hold is rejected with the column, the row and the value") {
        fun refused(view: ObjectView<*>): String = shouldThrow<ArithmeticException> { view[1] }.message!!
        cpu.batch(2) {
            timestamp("point", longArrayOf(0, Long.MAX_VALUE), ArrowTimeUnit.SECOND)
            date32("short", intArrayOf(0, Int.MAX_VALUE))
        }.use { batch ->
            refused(batch["point"].instants()) shouldBe
                "column \"point\" of type timestamp[s, tz=UTC], row 1: 9223372036854775807 is not a point in time " +
                "of java.time"
            refused(batch["point"].localDateTimes()) shouldContain "row 1: 9223372036854775807 is not a date and time"
            batch["short"].dates()[1] shouldBe LocalDate.ofEpochDay(Int.MAX_VALUE.toLong())
        }
        BatchBuilder.of(cpu, 2).use { foreign -> // a builder refuses such values if they are appended one by one
            foreign.column(Field.of("time", TimeType(ArrowTimeUnit.MICROSECOND)))
                .appendAll(MemorySegment.ofArray(longArrayOf(0, -1)))
            foreign.column(Field.of("day", DataType.DATE64))
                .appendAll(MemorySegment.ofArray(longArrayOf(-1, Long.MIN_VALUE)))
            foreign.build()
        }.use { batch ->
            refused(batch["time"].times()) shouldContain "row 1: -1 is not a time of day"
            batch["day"].dates().toList() shouldBe
                listOf(LocalDate.of(1969, 12, 31), LocalDate.ofEpochDay(Math.floorDiv(Long.MIN_VALUE, 86_400_000L)))
        }
    }

    test("rows are counted and indexed by Int") {
        cpu.batch(2) { utf8("text", arrayOf("a", null)) }.use { batch ->
            batch.indices shouldBe 0..1
            batch.indices.map { batch["text"][it] } shouldBe listOf("a", null)
        }
    }

    test("concat joins batches into one and leaves them to the caller") {
        val batches = List(3) { i -> cpu.batch(2) { int64("long", longArrayOf(2L * i, 2L * i + 1)) } }
        batches.concat().use { it["long"].longs().toList() shouldBe (0L..5L).toList() }
        batches.forEach { it.close() }
        shouldThrow<IllegalStateException> { batches.concat() }
    }

    test("the compiler accepts an assignment of a `val` inside the block") {
        val name: String
        cpu.batch(1) {
            list("list", { listOf(1) }) { struct { int32("x") { 1 } } }
            name = "given in the block"
        }.close()
        name shouldBe "given in the block"
    }

    test("each view of objects returns the values of its type") {
        val day = LocalDate.of(1903, 12, 17)
        val time = LocalTime.of(10, 35, 0, 1000)
        val moment = Instant.parse("1903-12-17T15:35:00.000001Z")
        cpu.batch(2) {
            utf8("text") { if (it == 0) "a" else null }
            dictionary("coded") { "b" }
            binary("bytes") { byteArrayOf(1) }
            decimal128("decimal", 5, 1) { BigDecimal("1.5") }
            date32("day") { day }
            date64("day64") { day }
            time64("time", ArrowTimeUnit.MICROSECOND) { time }
            timestamp("moment") { moment }
            localTimestamp("local") { LocalDateTime.of(day, time) }
            duration("lasted") { Duration.ofNanos(-1_000) }
            int64List("list") { longArrayOf(1, 2) }
        }.use { batch ->
            batch["text"].strings().toList() shouldBe listOf("a", null)
            batch["coded"].strings()[1] shouldBe "b"
            batch["bytes"].bytes()[0] shouldBe byteArrayOf(1)
            batch["decimal"].decimals()[0] shouldBe BigDecimal("1.5")
            batch["day"].dates()[0] shouldBe day
            batch["day64"].dates()[0] shouldBe day
            batch["time"].times()[0] shouldBe time
            batch["moment"].instants()[0] shouldBe moment
            batch["local"].localDateTimes()[0] shouldBe LocalDateTime.of(day, time)
            batch["lasted"].durations()[0] shouldBe Duration.ofNanos(-1_000)
            batch["list"].lists()[1].longs().sumOf { it ?: 0 } shouldBe 3
        }
    }

    test("nulls, missing rows and columns, and views of another type are reported") {
        val batch = cpu.batch(1) {
            int64("delay") { null }
            utf8("city") { "Oslo" }
        }
        val delays = batch["delay"].longs()
        batch.use {
            shouldThrow<NoSuchElementException> { delays[0] }.message shouldContain
                "\"delay\" of type int64 is null in row 0"
            shouldThrow<IndexOutOfBoundsException> { delays[1] }
            shouldThrow<IllegalArgumentException> { batch["city"].longs() }
                .message shouldBe "column city: utf8, length 1 cannot be read by longs(): strings() has its values, " +
                "and byteStrings() has them as bytes"
            shouldThrow<IllegalArgumentException> { batch["city"].dates() }.message shouldContain
                "cannot be read as dates"
            shouldThrow<IllegalArgumentException> { batch["town"] }.message shouldContain "[delay, city]"
            shouldThrow<IllegalArgumentException> { batch.schema()["town"] }.message shouldContain "[delay, city]"
            ("city" in batch.schema()) shouldBe true
            listOf("city" in batch, "town" in batch) shouldBe listOf(true, false)
            delays.toString() shouldContain "1 rows"
        }
        shouldThrow<IllegalStateException> { delays.getOrNull(0) }
    }
})
