// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Devices
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.support.ResourceCountersExtension
import java.time.Period

/** Mistakes and surprises in the use of the batch DSL. */
class BatchTrapsSpec : FunSpec({
    extension(ResourceCountersExtension)
    val cpu = Devices.cpu()

    test("dictionaries and runs compare arrays by their elements") {
        fun bytes(row: Int): ByteArray? = if (row == 3) null else byteArrayOf((row / 2).toByte(), 1)
        cpu.batch(6) {
            dictionary("dictionary", { bytes(it) }) { all -> binary { all[it] } }
            runEndEncoded("runs", { bytes(it) }) { all -> binary { all[it] } }
            dictionary("vectors", { floatArrayOf((it % 2).toFloat(), Float.NaN) }) { all -> float32List { all[it] } }
            runEndEncoded("nested", { arrayOf(intArrayOf(it / 3)) }) { all -> int32List { all[it]!!.single() } }
        }.use { batch ->
            batch["dictionary"].dictionary().length() shouldBe 3
            batch["dictionary"].bytes().toList().map { it?.toList() } shouldBe List(6) { bytes(it)?.toList() }
            batch["runs"].run { runs().values().length() shouldBe 4 }
            batch["runs"].bytes().toList().map { it?.toList() } shouldBe List(6) { bytes(it)?.toList() }
            batch["vectors"].run {
                dictionary().length() shouldBe 2
                lists()[5].floats().toArray() shouldBe floatArrayOf(1f, Float.NaN)
            }
            batch["nested"].runs().values().length() shouldBe 2
        }
    }

    test("a batch without a row count takes it from its first column, and lambdas can follow [BLD-20]") {
        cpu.batch {
            int64("array", longArrayOf(1, 2, 3))
            utf8("list", listOf("a", null, "c"))
            utf8("lambda") { "${it + rows}" }
            struct("struct") { float64("x") { it / 2.0 } }
            list("lists") { row -> List(row) { "$it" } }
        }.use { batch ->
            batch.length() shouldBe 3
            batch["lambda"].toList() shouldBe listOf("3", "4", "5")
            batch["struct"].toList() shouldBe List(3) { mapOf("x" to it / 2.0) }
            batch["lists"].toList() shouldBe List(3) { row -> List(row) { "$it" } }
        }
        cpu.memory().batch {
            utf8("list", listOf("a", "b"))
            int32("lambda") { it }
        }.use { it["lambda"].toList() shouldBe listOf(0L, 1L) }
        cpu.batch { int64("none", longArrayOf()); utf8("lambda") { error("no row") } }.use { it.length() shouldBe 0 }
        cpu.batch {
            column(Field.of("by hand", DataType.INT8)).append(1).append(2)
            bool("lambda") { it == 1 }
        }.use { it["lambda"].toList() shouldBe listOf(false, true) }
        cpu.batch { }.use { it.length() shouldBe 0 }
        for (first in listOf<ColumnScope.() -> Unit>(
            { utf8("a") { "" } }, { struct("a") { int8("x", byteArrayOf(1)) } }, { nulls("a") }, { check(rows > 0) },
        )) {
            shouldThrow<IllegalStateException> { cpu.batch { first() } }.message shouldContain
                "the number of rows is not known yet: pass batch(rows = …)"
        }
        shouldThrow<IllegalStateException> {
            cpu.batch { int64("a", longArrayOf(1, 2)); int32("b", intArrayOf(1, 2, 3)) }
        }.message shouldBe
            "column \"b\" has 3 values, but column \"a\" has 2"
        shouldThrow<IllegalStateException> { cpu.batch { int64("a", longArrayOf(1, 2)); utf8("b", listOf("x")) } }
            .message shouldBe "column \"b\" takes 2 values, one for each row, but received 1"
    }

    test("a union type without a column is rejected, and does not shift the types after it") {
        for (isDense in listOf(true, false)) {
            fun build(types: UnionScope<Any>.() -> Unit) = cpu.batch(2) {
                val value = { row: Int -> if (row == 0) 1L else "one" }
                if (isDense) denseUnion("a", value, types = types) else sparseUnion("a", value, types = types)
            }
            shouldThrow<IllegalStateException> {
                build {
                    on<Long> { }
                    on<String> { all -> utf8("text") { all[it] } }
                }.close()
            }.message!! shouldContain "a type of a union needs a column, but none was added for Long"
            build {
                on<Long> { all -> int64("number") { all[it] } }
                on<String> { all -> utf8("text") { all[it] } }
            }.use { it["a"].unions().toList() shouldBe listOf(1L, "one") }
        }
    }

    test("a period with days is rejected, and the message shows all its parts") {
        fun refused(period: Period) = shouldThrow<IllegalArgumentException> {
            cpu.batch(2) { intervalYearMonth("a") { if (it == 0) null else period } }.close()
        }.message!!
        refused(Period.of(2, 3, 4)) shouldContain "row 1: P2Y3M4D has 4 days"
        refused(Period.of(Int.MAX_VALUE, 3, 4)) shouldContain "P2147483647Y3M4D has 4 days"
        refused(Period.ofYears(Int.MAX_VALUE)) shouldContain "25769803764"
    }

    test("the type of a fixed-size list shows the item's name, type and size") {
        cpu.batch(2) {
            fixedSizeListOf("a", 3, isNull = { it == 1 }) { float32(values = FloatArray(6) { it.toFloat() }) }
        }.use { batch ->
            batch["a"].lists().toList().map { it?.floats()?.toList() } shouldBe listOf(listOf(0f, 1f, 2f), null)
            batch["a"].field().type().toString() shouldContain "fixed_size_list<item: float32>[3]"
        }
    }
})
