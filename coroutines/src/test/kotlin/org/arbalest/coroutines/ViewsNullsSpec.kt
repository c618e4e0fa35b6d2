// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldEndWith
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.columns.Column
import org.arbalest.device.types.Interval
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.withNullRows
import java.math.BigDecimal
import java.time.LocalDate
import java.time.Period

/**
 * The behaviour of the views with nulls and with unsuitable types. A program does not need to know any special rule for
 * them.
 */
@OptIn(ExperimentalUnsignedTypes::class)
class ViewsNullsSpec : FunSpec({
    extension(ResourceCountersExtension)
    val cpu = Devices.cpu()

    test(
        "a column of a batch with null rows is rejected, and `pushDownNulls` puts these nulls into the column [REQ-21]",
    ) {
        cpu.batch(3) { int64("long", longArrayOf(1, 42, 3)) }.withNullRows(1).use { batch ->
            shouldThrow<DeviceException> { batch["long"] }.message!! shouldContain
                "the batch has 1 null row in its own bitmap only"
            batch.pushDownNulls().use { it["long"].longs().toList() shouldBe listOf(1L, null, 3L) }
            shouldThrow<NoSuchElementException> { batch.rows<OneLong>()[1] }
        }
    }

    test("sum skips nulls, and throws on overflow") {
        cpu.batch {
            int64("long", listOf(Long.MAX_VALUE, null, -1))
            int32("int", listOf(Int.MAX_VALUE, Int.MAX_VALUE, null))
            float64("double", listOf(0.5, null, 0.25))
            float32("float", floatArrayOf(0.5f, 0.25f, 7f), { it == 2 })
            int64("none", listOf(null, null, null))
            int64("much", listOf(Long.MAX_VALUE, 1, null))
        }.use { batch ->
            batch["long"].longs().sum() shouldBe Long.MAX_VALUE - 1
            batch["int"].ints().sum() shouldBe 2L * Int.MAX_VALUE
            batch["double"].doubles().sum() shouldBe 0.75
            batch["float"].floats().sum() shouldBe 0.75
            batch["none"].longs().sum() shouldBe 0
            shouldThrow<ArithmeticException> { batch["much"].longs().sum() }
        }
    }

    test("toArray throws on a null unless a default value is given [READ-50]") {
        cpu.batch(3) {
            int64("long") { if (it == 1) null else it.toLong() }
            int32("int") { if (it == 1) null else it }
            float64("double") { if (it == 1) null else it.toDouble() }
            float32("float") { if (it == 1) null else it.toFloat() }
            bool("bool") { if (it == 1) null else it == 2 }
            uint64("ulong") { if (it == 1) null else it.toULong() }
        }.use { batch ->
            val arrays: List<Pair<(Column) -> Any, (Column) -> Any>> = listOf(
                { it: Column -> it.longs().toArray() } to { it: Column -> it.longs().toArray(9).toList() },
                { it: Column -> it.ints().toArray() } to { it: Column -> it.ints().toArray(9).map(Int::toLong) },
                { it: Column -> it.doubles().toArray() } to { it: Column ->
                    it.doubles().toArray(9.0).map(Double::toLong)
                },
                { it: Column -> it.floats().toArray() } to { it: Column -> it.floats().toArray(9f).map(Float::toLong) },
                { it: Column -> it.booleans().toArray() } to { it: Column ->
                    it.booleans().toArray(true).mapIndexed { row, value -> if (value) listOf(0L, 9L, 2L)[row] else 0 }
                },
                { it: Column -> it.ulongs().toArray() } to { it: Column -> it.ulongs().toArray(9u).map(ULong::toLong) },
            )
            for ((index, both) in arrays.withIndex()) {
                val column = batch.column(index)
                withClue(column.name()) {
                    shouldThrow<NoSuchElementException> { both.first(column) }.message!! shouldContain
                        "column \"${column.name()}\" of type"
                    shouldThrow<NoSuchElementException> { both.first(column) }.message!! shouldContain
                        "is null in row 1"
                    both.second(column) shouldBe listOf(0L, 9L, 2L)
                    batch.slice(2, 1).use { both.first(it.column(index)) } // no row of this slice is null
                }
            }
            for (name in listOf("long", "int", "ulong")) {
                shouldThrow<NoSuchElementException> { batch[name].integers().toArray() }
                batch[name].integers().toArray(9) shouldBe longArrayOf(0, 9, 2)
            }
            for (name in listOf("long", "int", "double", "float")) {
                shouldThrow<NoSuchElementException> { batch[name].numbers().toArray() }
                batch[name].numbers().toArray(9.0) shouldBe doubleArrayOf(0.0, 9.0, 2.0)
            }
        }
    }

    test(
        "a view rejects values that it would have to convert: decimals, and unsigned numbers as signed ones [READ-51]",
    ) {
        cpu.batch(1) {
            decimal32("d32", 5, 2) { BigDecimal("1.25") }
            decimal64("d64", 5, 2) { BigDecimal("1.25") }
            uint32("u32") { UInt.MAX_VALUE }
            uint64("u64") { ULong.MAX_VALUE }
        }.use { batch ->
            fun refused(view: () -> Any): String = shouldThrow<IllegalArgumentException> { view() }.message!!
            refused { batch["d32"].ints() } shouldContain "cannot be read by ints(): decimals() has its values"
            refused { batch["d64"].longs() } shouldContain "cannot be read by longs(): decimals() has its values"
            refused { batch["u32"].ints() } shouldContain "cannot be read by ints(): ulongs() has its values"
            refused { batch["u64"].longs() } shouldContain "cannot be read by longs(): ulongs() has its values"
            listOf(batch["u32"].ulongs()[0], batch["u64"].ulongs()[0]) shouldBe
                listOf(UInt.MAX_VALUE.toULong(), ULong.MAX_VALUE)
            listOf(batch["d32"].decimals()[0], batch["d64"].decimals()[0]) shouldBe List(2) { BigDecimal("1.25") }
            // the core views return the stored bits
            listOf<Number>(batch["u32"].asInts()[0], batch["u64"].asLongs()[0], batch["d64"].asLongs()[0]) shouldBe
                listOf(-1, -1L, 125L)
        }
    }

    test("the refusal names the suitable view by its Kotlin name [READ-51]") {
        cpu.batch(1) {
            bool("bool") { true }
            bool8("bool8") { true }
            dictionary("bools", { true }) { all -> bool { all[it] } }
            runEndEncoded("bool8s", { true }) { all -> bool8 { all[it] } }
            int8("int8") { 1 }
            int16("int16") { 1 }
            int32("int32") { 1 }
            int64("int64") { 1 }
            uint8("uint8") { 1u }
            float16("float16") { 0.5f }
            float32("float32") { 0.5f }
            float64("float64") { 0.5 }
            decimal128("decimal", 5, 1) { BigDecimal("1.5") }
            date32("date32") { LocalDate.EPOCH }
            date64("date64") { LocalDate.EPOCH }
            intervalYearMonth("months") { Period.ofMonths(3) }
            intervalDayTime("days") { Interval(0, 3, 0) }
            utf8("text") { "a" }
            utf8View("views") { "a" }
            binary("binary") { byteArrayOf(1) }
            int64List("list") { longArrayOf(1) }
            struct("struct") { int32("x") { 1 } }
            dictionary("words") { "b" }
            dictionary("numbers", { 1 }) { all -> int64 { all[it].toLong() } }
            runEndEncoded("runs", { 0.5 }) { all -> float64 { all[it] } }
            nulls("nulls")
        }.use { batch ->
            val views = mapOf<String, (Column) -> ColumnView<*>>(
                "longs()" to { it.longs() }, "ints()" to { it.ints() }, "doubles()" to { it.doubles() },
                "floats()" to { it.floats() },
                "booleans()" to { it.booleans() }, "byteStrings()" to { it.byteStrings() },
            )
            val has = mapOf(
                "bool" to "booleans()", "int8" to "integers()", "int16" to "integers()", "int32" to "ints()",
                "int64" to "longs()", "uint8" to "ulongs()", "float16" to "numbers()", "float32" to "floats()",
                "float64" to "doubles()", "decimal" to "decimals()", "date32" to "ints()", "date64" to "longs()",
                "months" to "ints()", "days" to "intervals()", "text" to "byteStrings()", "views" to "byteStrings()",
                "binary" to "byteStrings()", "list" to "lists()", "struct" to "structs()", "words" to "strings()",
                "numbers" to "integers()", "runs" to "numbers()", "bool8" to "flags()", "bools" to "flags()",
                "bool8s" to "flags()",
            )
            for ((name, own) in has) for ((view, read) in views) {
                withClue("$name by $view") {
                    if (view == own) read(batch[name]).getOrNull(0)
                    else shouldThrow<IllegalArgumentException> { read(batch[name]) }.message!! shouldEndWith
                        " cannot be read by $view: " + if (name == "text" || name == "views")
                            "strings() has its values, and $own has them as bytes" else "$own has its values"
                }
            }
            shouldThrow<IllegalArgumentException> { batch["nulls"].longs() }.message!! shouldEndWith
                " cannot be read by longs(): only its getters do"
            listOf(batch["int8"].integers()[0], batch["int16"].integers()[0], batch["float16"].numbers()[0]) shouldBe
                listOf<Any>(1L, 1L, 0.5)
            listOf<Any>(batch["words"].strings()[0], batch["numbers"].integers()[0],
                batch["runs"].numbers()[0]) shouldBe listOf("b", 1L, 0.5)
            listOf<Number>(batch["int8"].asBytes()[0], batch["int16"].asShorts()[0],
                batch["float16"].asHalfFloats()[0]) shouldBe listOf(1.toByte(), 1.toShort(), 0.5f)
        }
    }

    test("flags() reads booleans of one bit and of eight, in a dictionary and run-end encoded [READ-69]") {
        fun value(row: Int): Boolean? = if (row == 1) null else row % 4 == 0
        cpu.batch(7) {
            bool("bits", value = ::value)
            bool8("bytes", value = ::value)
            dictionary("dictionary", ::value) { all -> bool { all[it] } }
            dictionary("dictionary of bytes", ::value) { all -> bool8 { all[it] } }
            runEndEncoded("runs", ::value) { all -> bool8 { all[it] } }
            int8("numbers") { 1 }
        }.use { batch ->
            for (column in (0..4).map(batch::column)) withClue(column.name()) {
                val flags = column.flags()
                flags.toList() shouldBe List(7, ::value)
                flags.nullCount shouldBe 1
                (0..6).map { flags.getOrNull(it) } shouldBe List(7, ::value)
                flags[4] shouldBe true
                shouldThrow<NoSuchElementException> { flags[1] }
                shouldThrow<NoSuchElementException> { flags.toArray() }.message shouldContain "is null in row 1"
                flags.toArray(true) shouldBe BooleanArray(7) { value(it) ?: true }
                batch.slice(2, 5).use { it[column.name()].flags().toList() } shouldBe List(7, ::value).drop(2)
            }
            batch.slice(0, 0).use { none ->
                shouldThrow<IllegalArgumentException> { none["numbers"].flags().toArray() }.message shouldContain
                    "cannot be read as booleans"
            }
            shouldThrow<IllegalArgumentException> { batch["numbers"].flags()[0] }.message shouldContain
                "cannot be read as a boolean; getLong"
            shouldThrow<IllegalArgumentException> { batch["bytes"].asBooleans() }.message shouldEndWith
                "cannot be read by asBooleans(): asBytes() has its values, 0 for false"
            batch["bytes"].asBytes()[2] shouldBe 0
        }
    }

    test("byteStrings() reads text and binary columns, also view types [READ-55]") {
        cpu.batch(3) {
            utf8View("text") { listOf("a", null, "Reykjavík and Bergen")[it] }
            binary("bytes") { if (it == 1) null else byteArrayOf(it.toByte(), 7) }
        }.use { batch ->
            batch["text"].byteStrings().run {
                get(2).decodeToString() shouldBe "Reykjavík and Bergen"
                listOf(byteLength(0), byteLength(2)) shouldBe listOf(1L, 21L)
                startsWith(2, "Reyk".encodeToByteArray()) shouldBe true
                shouldThrow<NoSuchElementException> { get(1) }
            }
            batch["bytes"].byteStrings()[2] shouldBe byteArrayOf(2, 7)
        }
    }
})

private data class OneLong(val long: Long?)
