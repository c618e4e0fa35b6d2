// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.Devices
import org.arbalest.device.columns.Selection
import org.arbalest.support.ResourceCountersExtension
import java.time.LocalDate

private val Selection.rows: List<Long> get() = (0 until length()).filter(::isSelected)

class SelectionsSpec : FunSpec({
    extension(ResourceCountersExtension)

    /** Builds a batch in which row 1 is null and the others have their number as the value. */
    fun numbers() = Devices.cpu().batch(4) {
        int64("long") { row -> row.toLong().takeIf { row != 1 } }
        int32("int") { row -> row.takeIf { row != 1 } }
        int8("byte") { row -> row.toByte().takeIf { row != 1 } }
        uint64("ulong") { row -> row.toULong().takeIf { row != 1 } }
        float64("double") { row -> row.toDouble().takeIf { row != 1 } }
        float32("float") { row -> row.toFloat().takeIf { row != 1 } }
        bool("flag") { row -> (row > 1).takeIf { row != 1 } }
        utf8("text") { row -> "t$row".takeIf { row != 1 } }
        date32("day") { row -> LocalDate.of(2024, 1, 1 + row).takeIf { row != 1 } }
        dictionary("city", listOf("t0", null, "t2", "t3"))
    }

    test("core's views and a column of booleans make selections with a Kotlin lambda [SEL-07]") {
        numbers().use { batch ->
            Selection.where(batch["long"].asLongs()) { it > 1 }.rows shouldBe listOf(2L, 3L)
            Selection.where(batch["int"].asInts()) { it > 1 }.rows shouldBe listOf(2L, 3L)
            Selection.where(batch["double"].asDoubles()) { it > 1 }.rows shouldBe listOf(2L, 3L)
            Selection.where(batch["float"].asFloats()) { it > 1 }.rows shouldBe listOf(2L, 3L)
            Selection.where(batch.length()) { row -> row != 1L }.rows shouldBe listOf(0L, 2L, 3L)
            Selection.of(batch["flag"]).rows shouldBe listOf(2L, 3L)
            Selection.of(batch["flag"].asBooleans()).rows shouldBe listOf(2L, 3L)
        }
    }

    test("each view selects the rows that are not null and fulfil a condition [SEL-30]") {
        numbers().use { batch ->
            val selections = listOf(
                batch["long"].longs().where { it > 1 },
                batch["int"].ints().where { it > 1 },
                batch["double"].doubles().where { it > 1 },
                batch["float"].floats().where { it > 1 },
                batch["byte"].integers().where { it > 1 },
                batch["byte"].numbers().where { it > 1 },
                batch["ulong"].ulongs().where { it > 1u },
                batch["flag"].booleans().where { it },
                batch["flag"].flags().where { it },
                batch["text"].strings().where { it > "t1" },
                batch["city"].strings().where { it > "t1" },
                batch["text"].byteStrings().where { it.decodeToString() > "t1" },
                batch["day"].dates().where { it.dayOfMonth > 2 },
            )
            selections.map { it.rows } shouldBe List(selections.size) { listOf(2L, 3L) }
        }
    }

    test("selections combine by and, or and !, from left to right [SEL-30]") {
        val low = Selection.where(4) { it < 2 }
        val even = Selection.where(4) { it % 2 == 0L }
        val last = Selection.where(4) { it == 3L }
        (low and even).rows shouldBe listOf(0L)
        (low or even).rows shouldBe listOf(0L, 1L, 2L)
        (!low).rows shouldBe listOf(2L, 3L)
        (last or low and even).rows shouldBe listOf(0L)
        (last or (low and even)).rows shouldBe listOf(0L, 3L)
        (!low and !even) shouldBe last
        shouldThrow<IllegalArgumentException> { low and Selection.where(5) { true } }
    }

    test("a condition that throws passes its exception on, and nothing stays allocated [SEL-30, SEL-08]") {
        numbers().use { batch ->
            shouldThrow<IllegalStateException> { batch["text"].strings().where { error("no text") } }.message shouldBe
                "no text"
            shouldThrow<IllegalStateException> { batch["long"].longs().where { error("no number") } }
        }
    }

    test("the selected rows of a batch are filtered after the views were read [SEL-30]") {
        numbers().use { batch ->
            val kept = batch["long"].longs().where { it > 0 } and batch["text"].strings().where { it != "t3" }
            batch.filter(kept).use { it["city"].toList() shouldBe listOf("t2") }
        }
    }
})
