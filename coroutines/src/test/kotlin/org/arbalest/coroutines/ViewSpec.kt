package org.arbalest.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Devices
import org.arbalest.device.TimeUnit
import org.arbalest.testkit.LedgerExtension
import java.math.BigDecimal
import java.time.Duration
import java.time.Instant
import java.time.LocalDate
import java.time.LocalDateTime
import java.time.LocalTime

@OptIn(ExperimentalUnsignedTypes::class)
class ViewSpec : FunSpec({
    extension(LedgerExtension)
    val cpu = Devices.cpu()

    test("primitive views read by row, as an array, as a sequence") {
        cpu.batch(3) {
            int64("long", longArrayOf(1, 2, 3), { it == 1 })
            int32("int", intArrayOf(1, 2, 3), { it == 1 })
            float64("double", doubleArrayOf(0.5, 1.0, 2.0), { it == 1 })
            bool("bool", booleanArrayOf(true, true, false), { it == 1 })
        }.use { batch ->
            batch["long"].longs().run {
                toList() shouldBe listOf(1L, null, 3L)
                toArray(-1) shouldBe longArrayOf(1, -1, 3)
                listOf(size, nullCount, indices, get(0), getOrNull(1), isNull(1)) shouldBe listOf(3, 1, 0..2, 1L, null, true)
            }
            batch["int"].ints().run { toList() shouldBe listOf(1, null, 3); toArray() shouldBe intArrayOf(1, 0, 3); get(2) shouldBe 3 }
            batch["double"].doubles().run { toList() shouldBe listOf(0.5, null, 2.0); get(2) shouldBe 2.0; toArray()[1].isNaN() shouldBe true }
            batch["bool"].booleans().run {
                toList() shouldBe listOf(true, null, false)
                get(0) shouldBe true
                toArray() shouldBe booleanArrayOf(true, false, false)
            }
        }
    }

    test("unsigned 64-bit integers beyond Long") {
        cpu.batch(2) {
            uint64("u") { if (it == 0) ULong.MAX_VALUE else null }
            int64("i") { -1 }
        }.use { batch ->
            batch["u"].ulongs().run {
                toList() shouldBe listOf(ULong.MAX_VALUE, null)
                get(0) shouldBe ULong.MAX_VALUE
                toArray(7u).toList() shouldBe listOf(ULong.MAX_VALUE, 7uL)
            }
            shouldThrow<IllegalArgumentException> { batch["i"].ulongs() }.message shouldContain "cannot be read as unsigned integers"
        }
    }

    test("dates, times and lengths of time beyond 64 bits are refused with the column, the row and the value; what fits to the last is exact") {
        fun refused(columns: ColumnScope.() -> Unit): String = shouldThrow<ArithmeticException> { cpu.batch(2, columns = columns).close() }.message!!
        val far = LocalDate.of(300_000_000, 1, 1)
        refused { date64("d") { if (it == 0) null else far } } shouldBe "d: date64, row 1: +300000000-01-01 is beyond what 64 bits hold"
        refused { date64("d") { LocalDate.MIN } } shouldContain "d: date64, row 0: -999999999-01-01"
        refused { timestamp("t", TimeUnit.NANOSECOND) { Instant.parse("2262-04-11T23:47:16.854775808Z") } } shouldContain "t: timestamp[ns, tz=UTC], row 0: 2262-04-11T23:47:16.854775808Z is"
        refused { timestamp("t", TimeUnit.NANOSECOND) { Instant.parse("1677-09-21T00:12:43.145224191Z") } } shouldContain "row 0: 1677-09-21T00:12:43.145224191Z"
        refused { localTimestamp("t", TimeUnit.NANOSECOND) { LocalDateTime.MAX } } shouldContain "t: timestamp[ns], row 0: +999999999-12-31"
        refused { duration("t", TimeUnit.MICROSECOND) { Duration.ofSeconds(Long.MAX_VALUE) } } shouldContain "t: duration[us], row 0: PT"
        val ends = listOf(Long.MIN_VALUE, Long.MIN_VALUE + 1, -1, Long.MAX_VALUE)
        for (unit in TimeUnit.entries) {
            cpu.batch(4) {
                duration("stored", ends.toLongArray(), unit)
                timestamp("point", ends.toLongArray(), unit)
            }.use { batch ->
                val lengths = batch["stored"].durations().toList()
                val points = if (unit >= TimeUnit.MICROSECOND) batch["point"].instants().toList() else listOf()
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

    test("what java.time has no value for is refused with the column, the row and the number") {
        cpu.batch(2) {
            timestamp("point", longArrayOf(0, Long.MAX_VALUE), TimeUnit.SECOND)
            date64("day", longArrayOf(-1, Long.MIN_VALUE))
            date32("short", intArrayOf(0, Int.MAX_VALUE))
            time64("time", longArrayOf(0, -1), TimeUnit.MICROSECOND)
        }.use { batch ->
            fun refused(view: ObjectView<*>): String = shouldThrow<ArithmeticException> { view[1] }.message!!
            refused(batch["point"].instants()) shouldContain "column point: timestamp[s, tz=UTC], length 2, row 1: 9223372036854775807 is no point in time"
            refused(batch["point"].localDateTimes()) shouldContain "row 1: 9223372036854775807 is no date and time"
            refused(batch["time"].times()) shouldContain "row 1: -1 is no time of day"
            batch["day"].dates().toList() shouldBe listOf(LocalDate.of(1969, 12, 31), LocalDate.ofEpochDay(Math.floorDiv(Long.MIN_VALUE, 86_400_000L)))
            batch["short"].dates()[1] shouldBe LocalDate.ofEpochDay(Int.MAX_VALUE.toLong())
        }
    }

    test("rows are counted by Int, and values are read by one") {
        cpu.batch(2) { utf8("text", arrayOf("a", null)) }.use { batch ->
            batch.indices shouldBe 0..1
            batch.indices.map { batch["text"][it] } shouldBe listOf("a", null)
        }
    }

    test("batches that were kept are joined to one, and stay the caller's") {
        val batches = List(3) { i -> cpu.batch(2) { int64("long", longArrayOf(2L * i, 2L * i + 1)) } }
        batches.concat().use { it["long"].longs().toList() shouldBe (0L..5L).toList() }
        batches.forEach { it.close() }
        shouldThrow<IllegalStateException> { batches.concat() }
    }

    test("what a block assigns is assigned once it has run") {
        val name: String
        cpu.batch(1) {
            list("list", { listOf(1) }) { struct { int32("x") { 1 } } }
            name = "given in the block"
        }.close()
        name shouldBe "given in the block"
    }

    test("views of objects") {
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
            time64("time", TimeUnit.MICROSECOND) { time }
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

    test("what is null, not there, or of another type is said") {
        val batch = cpu.batch(1) {
            int64("delay") { null }
            utf8("city") { "Oslo" }
        }
        val delays = batch["delay"].longs()
        batch.use {
            shouldThrow<NoSuchElementException> { delays[0] }.message shouldContain "\"delay\" is null in row 0"
            shouldThrow<IndexOutOfBoundsException> { delays[1] }
            shouldThrow<IllegalArgumentException> { batch["city"].longs()[0] }
                .message shouldContain "\"city\" of type \"u\" cannot be read as an integer"
            shouldThrow<IllegalArgumentException> { batch["city"].dates() }.message shouldContain "cannot be read as dates"
            shouldThrow<IllegalArgumentException> { batch["town"] }.message shouldContain "[delay, city]"
            shouldThrow<IllegalArgumentException> { batch.schema()["town"] }.message shouldContain "[delay, city]"
            ("city" in batch.schema()) shouldBe true
            listOf("city" in batch, "town" in batch) shouldBe listOf(true, false)
            delays.toString() shouldContain "1 rows"
        }
        shouldThrow<IllegalStateException> { delays.getOrNull(0) }
    }
})
