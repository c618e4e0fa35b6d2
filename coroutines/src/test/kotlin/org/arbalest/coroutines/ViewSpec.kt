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
            batch["bool"].booleans().run { toList() shouldBe listOf(true, null, false); get(0) shouldBe true; toArray() shouldBe booleanArrayOf(true, false, false) }
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

    test("rows are counted by Int, and values are read by one") {
        cpu.batch(2) { utf8("text", arrayOf("a", null)) }.use { batch ->
            batch.rows shouldBe 0..1
            batch.rows.map { batch["text"][it] } shouldBe listOf("a", null)
        }
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
            shouldThrow<IllegalArgumentException> { batch["city"].longs()[0] }.message shouldContain "\"city\" of type \"u\" cannot be read as an integer"
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
