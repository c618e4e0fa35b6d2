// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Devices
import org.arbalest.support.ResourceCountersExtension

private class Fill(val quantity: Long, val parties: List<String?>?)

private class Point(val x: Double, val y: Double)

class NestedSpec : FunSpec({
    extension(ResourceCountersExtension)
    val cpu = Devices.cpu()

    test("lists of text may contain null lists and null elements") {
        val tags = listOf(listOf("a", null), null, listOf(), listOf("b"))
        cpu.batch(tags.size) { list("tags", { row -> tags[row] }) { all -> utf8 { all[it] } } }
            .throughC().use { it["tags"].values() shouldBe tags }
        cpu.batch(tags.size) { list("tags") { row -> tags[row] } }.throughC().use { it["tags"].values() shouldBe tags }
    }

    test("a list of values infers its element type from each Kotlin type that Arrow has, and rejects others") {
        cpu.batch(2) {
            list("bool") { if (it == 0) listOf(true, null) else null }
            list("byte") { listOf<Byte?>(1, null) }
            list("short") { listOf<Short>(-2) }
            list("int") { setOf(it) }
            list("long") { listOf(Long.MIN_VALUE) }
            list("float") { listOf(0.5f) }
            list("double") { listOf(0.25, null) }
        }.throughC().use {
            it["bool"].values() shouldBe listOf(listOf(true, null), null)
            it["byte"].values() shouldBe listOf(listOf(1L, null), listOf(1L, null))
            it["short"].values() shouldBe listOf(listOf(-2L), listOf(-2L))
            it["int"].values() shouldBe listOf(listOf(0L), listOf(1L))
            it["long"].values() shouldBe listOf(listOf(Long.MIN_VALUE), listOf(Long.MIN_VALUE))
            it["float"].values() shouldBe listOf(listOf(0.5), listOf(0.5))
            it["double"].values() shouldBe listOf(listOf(0.25, null), listOf(0.25, null))
        }
        shouldThrow<IllegalArgumentException> { cpu.batch(1) { list("x") { listOf('c') } } }.message!! shouldContain
            "a list of Char"
    }

    test("lists of primitive arrays keep their values") {
        cpu.batch(3) {
            int32List("i") { row -> if (row == 1) null else IntArray(row) { it } }
            int64List("l") { row -> if (row == 1) null else LongArray(row) { -1L } }
            float32List("f") { row -> if (row == 1) null else FloatArray(row) { 0.5f } }
            float64List("d") { row -> if (row == 1) null else DoubleArray(row) { 0.25 } }
        }.throughC().use {
            it["i"].values() shouldBe listOf(listOf<Long>(), null, listOf(0L, 1L))
            it["l"].values() shouldBe listOf(listOf<Long>(), null, listOf(-1L, -1L))
            it["f"].values() shouldBe listOf(listOf<Double>(), null, listOf(0.5, 0.5))
            it["d"].values() shouldBe listOf(listOf<Double>(), null, listOf(0.25, 0.25))
        }
    }

    test("lists of given sizes take their elements from one array") {
        cpu.batch(3) {
            listOfSizes("samples", intArrayOf(2, 1, 0), { it == 2 }) { float64(values = doubleArrayOf(1.0, 2.0, 3.0)) }
        }.throughC().use { it["samples"].values() shouldBe listOf(listOf(1.0, 2.0), listOf(3.0), null) }
    }

    test("lists of lists of structs that contain lists keep their values") {
        val days = listOf(
            listOf(listOf(Fill(1, listOf("x", "y")), Fill(2, null)), listOf()),
            null,
            listOf(listOf(Fill(3, listOf(null)))),
        )
        cpu.batch(days.size) {
            list("days", { days[it] }) { orders ->
                list("orders", { orders[it] }) { fills ->
                    struct("fill") {
                        int64("quantity") { fills[it].quantity }
                        list("parties", { fills[it].parties }) { parties -> dictionary { parties[it] } }
                    }
                }
            }
        }.throughC().use { batch ->
            batch["days"].values() shouldBe days.map { day ->
                day?.map { fills -> fills.map { mapOf("quantity" to it.quantity, "parties" to it.parties) } }
            }
        }
    }

    test("null structs hide the values of their fields, and fields have their own nulls") {
        val points = listOf(Point(1.0, 2.0), null)
        cpu.batch(2) {
            struct("at", isNull = { points[it] == null }) {
                float64("x") { points[it]?.x }
                struct("more") { float64("y") { points[it]?.y } }
            }
        }.throughC().use {
            it["at"].values() shouldBe listOf(mapOf("x" to 1.0, "more" to mapOf("y" to 2.0)), null)
            it["at"]["x"].values() shouldBe listOf(1.0, null)
        }
    }

    test("a column of a batch or a struct must have a name") {
        shouldThrow<IllegalArgumentException> { cpu.batch(1) { int32 { it } } }.message shouldContain
            "a column of a batch needs a name"
        shouldThrow<IllegalArgumentException> { cpu.batch(1) { struct("x") { int32 { it } } } }.message shouldContain
            "of a struct needs a name"
        shouldThrow<IllegalArgumentException> { cpu.batch(1) { struct { int32("x") { it } } } }
    }

    test("columns with the same name are read by index, and access by name reports both indices") {
        cpu.batch(1) {
            int32("x") { 1 }
            int32("x") { 2 }
            struct("s") {
                int32("a") { 3 }
                int32("a") { 4 }
            }
        }.throughC().use { batch ->
            listOf(batch.column(0), batch.column(1)).map { it.ints()[0] } shouldBe listOf(1, 2)
            shouldThrow<IllegalArgumentException> { batch["x"] }.message shouldBe
                "the batch has 2 fields \"x\", at [0, 1]; ask by the index, or choose by select(int...)"
            shouldThrow<IllegalArgumentException> { batch["s"]["a"] }.message shouldContain
                "has 2 fields \"a\", at [0, 1]; ask by the index, or choose by select(int...)"
            shouldThrow<IllegalArgumentException> { batch.schema()["x"] }.message shouldBe
                "the schema has 2 fields \"x\", at [0, 1]; ask by the index, or choose by select(int...)"
            listOf("x" in batch, "x" in batch.schema(), "y" in batch) shouldBe listOf(true, true, false)
        }
    }

    test("the element column is called `item` unless it is named") {
        cpu.batch(1) {
            list("a", { listOf(it) }) { all -> int32 { all[it] } }
            list("b", { listOf(it) }) { all -> int32("element") { all[it] } }
        }.use {
            it["a"].items().name() shouldBe "item"
            it["b"].items().name() shouldBe "element"
        }
    }

    test("a list has one element column, and this must have as many elements as the sizes say") {
        shouldThrow<IllegalStateException> {
            cpu.batch(1) { list("x", { listOf(1) }) { all -> repeat(2) { int32 { all[it] } } } }
        }.message shouldContain "put several columns into a struct"
        shouldThrow<IllegalStateException> { cpu.batch(1) { list("x", { listOf(1) }) { } } }.message shouldContain
            "have 1 elements, but 0"
        shouldThrow<IllegalStateException> {
            cpu.batch(1) { listOfSizes("x", intArrayOf(2)) { int32(values = intArrayOf(1)) } }
        }
        shouldThrow<IllegalArgumentException> {
            cpu.batch(1) { listOfSizes("x", intArrayOf(-1)) { int32(values = intArrayOf()) } }
        }
    }
})
