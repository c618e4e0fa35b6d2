// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.builders.ColumnBuilder
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Interval
import org.arbalest.device.types.NestedType.MapType
import org.arbalest.device.types.NestedType.UnionType
import org.arbalest.support.CCompiler
import org.arbalest.support.PeerMoves
import org.arbalest.support.PeerNodes
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import java.lang.foreign.Arena
import java.math.BigDecimal
import java.time.Period

private class Corner(val x: Double)

private data class Venue(val code: String, val city: String?)

/**
 * Nested, shared and interval columns of the DSL: native code reads the same values from them as from columns of the
 * core builders.
 */
class BatchTypesSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)
    val cpu = Devices.cpu()

    /** Returns the checksum that native code computes from the values and the types, without the names. */
    fun read(array: RecordBatch): Long = Arena.ofConfined().use { arena ->
        val (out, schema) = arena.allocate(StructKind.ARRAY.size, 8) to arena.allocate(StructKind.SCHEMA.size, 8)
        array.use { CData.exportArray(it, out, CExport.DATA.schemaTo(schema)) }
        PeerNodes.checksum(out, schema).also {
            PeerMoves.release(out, StructKind.ARRAY)
            PeerMoves.release(schema, StructKind.SCHEMA)
        }
    }

    /** Checks that the DSL and the core builders make columns of the same type and values. */
    fun same(rows: Int, type: DataType, columns: ColumnScope.() -> Unit, fill: ColumnBuilder.() -> Unit) {
        val expected = BatchBuilder.of(cpu, rows).use { batch ->
            batch.column(Field.of("a", type)).fill()
            batch.build()
        }
        val built = cpu.batch(rows, columns = columns)
        built.schema().fields().single().type() shouldBe type
        read(built) shouldBe read(expected)
    }

    test("views of text and bytes share buffers for their long values") {
        val words = listOf("short", null, "a text of more than twelve bytes", "another one of more than twelve")
        same(4, DataType.UTF8_VIEW, { utf8View("a") { words[it] } }) {
            for (word in words) if (word == null) appendNull() else append(word)
        }
        same(4, DataType.UTF8_VIEW, { utf8View("a", words, bufferSize = 40) }) {
            for (word in words) if (word == null) appendNull() else append(word)
        }
        same(2, DataType.BINARY_VIEW, { binaryView("a") { row -> ByteArray(20 * row) { 7 } } }) {
            append(ByteArray(0)).append(ByteArray(20) { 7 })
        }
    }

    test("decimal columns of each width keep their values") {
        val value = BigDecimal("1234.56")
        cpu.batch(2) {
            decimal32("32", 9, 2) { if (it == 0) value else null }
            decimal64("64", 18, 2) { if (it == 0) value else null }
            decimal128("128", 38, 2) { if (it == 0) value else null }
            decimal256("256", 76, 2) { if (it == 0) value else null }
        }.throughC().use { batch ->
            for (column in listOf("32", "64", "128", "256")) batch[column].values() shouldBe listOf(value, null)
        }
        shouldThrow<IllegalArgumentException> { cpu.batch(1) { decimal32("32", 5, 2) { value } } }.message shouldContain
            "the decimal 1234.56, which takes 6 digits (precision 5), in row 0; a type with a precision of 6 does"
    }

    test("interval columns of each kind have the values of the core builders") {
        same(3, DataType.INTERVAL_YEAR_MONTH, {
            intervalYearMonth("a") { row -> if (row == 1) null else Period.of(row, 1, 0) }
        }) { append(1).appendNull().append(25) }
        same(3, DataType.INTERVAL_YEAR_MONTH, { intervalYearMonth("a", intArrayOf(1, 9, 25), isNull = { it == 1 }) }) {
            append(1).appendNull().append(25)
        }
        same(2, DataType.INTERVAL_DAY_TIME, { intervalDayTime("a") { Interval(0, it, -3_000_000) } }) {
            append(Interval(0, 0, -3_000_000)).append(Interval(0, 1, -3_000_000))
        }
        same(2, DataType.INTERVAL_MONTH_DAY_NANO, {
            intervalMonthDayNano("a") { row -> if (row == 0) null else Interval(1, 2, 3) }
        }) { appendNull().append(Interval(1, 2, 3)) }
        shouldThrow<IllegalArgumentException> { cpu.batch(1) { intervalYearMonth("a") { Period.of(1, 2, 3) } } }
            .message shouldContain "3 days"
    }

    test("lists of each kind take their elements from one column") {
        val lists = listOf(listOf(1L, null), null, listOf(), listOf(7L))
        val item = Field.of("item", DataType.INT64)
        val fill: ColumnBuilder.() -> Unit = {
            appendList(2).appendNull().appendList(0).appendList(1)
            items().append(1).appendNull().append(7)
        }
        same(4, DataType.largeList(item), { largeList("a", { row -> lists[row] }) { all -> int64 { all[it] } } }, fill)
        same(4, DataType.listView(item), { listView("a", { row -> lists[row] }) { all -> int64 { all[it] } } }, fill)
        same(4, DataType.largeListView(item),
            { largeListView("a", { row -> lists[row] }) { all -> int64 { all[it] } } }, fill)
    }

    test("fixed-size lists have elements for null rows, too") {
        val corners = listOf(listOf(Corner(1.0), Corner(2.0)), null, listOf(Corner(3.0), Corner(4.0)))
        same(3, DataType.fixedSizeList(Field.of("item", DataType.FLOAT64), 2), {
            fixedSizeList("a", 2, { row -> corners[row] }) { all -> float64 { all[it]?.x } }
        }) {
            appendList(2).items().append(1.0).append(2.0)
            appendNull().appendList(2).items().append(3.0).append(4.0)
        }
        same(2, DataType.fixedSizeList(Field.of("item", DataType.FLOAT32), 3), {
            fixedSizeListOf("a", 3, isNull = { it == 1 }) { float32(values = FloatArray(6) { it.toFloat() }) }
        }) {
            appendList(3).items().append(0.0).append(1.0).append(2.0)
            appendNull()
        }
        shouldThrow<IllegalArgumentException> {
            cpu.batch(1) { fixedSizeList("a", 3, { listOf(1) }) { all -> int32 { all[it] } } }
        }.message shouldBe
            "column \"a\", row 0: a list of 1 elements, but all lists have 3"
    }

    test("maps have a column of keys and a column of values, or infer both from the Kotlin types") {
        val maps = listOf(mapOf("x" to 1L, "y" to null), null, mapOf(), mapOf("z" to 3L))
        val type = DataType.map(Field.of("key", DataType.UTF8), Field.of("value", DataType.INT64))
        val fill: ColumnBuilder.() -> Unit = {
            appendMap(2).appendNull().appendMap(0).appendMap(1)
            for (key in listOf("x", "y", "z")) keys().append(key)
            values().append(1).appendNull().append(3)
        }
        same(4, type, {
            map("a", { row -> maps[row] }, keys = { keys -> utf8 { keys[it] } }) { values -> int64 { values[it] } }
        }, fill)
        same(4, type, { map("a") { row -> maps[row] } }, fill)
        same(4, MapType(type.children().single(), true), { map("a", keysSorted = true) { row -> maps[row] } }, fill)
        shouldThrow<IllegalArgumentException> {
            cpu.batch(1) {
                map("a", { mapOf("x" to 1) }, keys = { keys -> utf8 { keys[it].takeIf { false } } }) { values ->
                    int32 { values[it] }
                }
            }
        }.message shouldContain "column \"a.entries.key\" is not nullable"
    }

    test("dense and sparse unions choose the type by the value's class, and null goes to the first type") {
        val answers: List<Any?> = listOf(42L, "text", null, "more", true)
        val parts = arrayOf(Field.of("number", DataType.INT64), Field.of("text", DataType.UTF8),
            Field.of("flag", DataType.BOOL))
        val fill: ColumnBuilder.() -> Unit = {
            appendUnion(0).child(0).append(42)
            appendUnion(1).child(1).append("text")
            appendNull()
            appendUnion(1).child(1).append("more")
            appendUnion(2).child(2).append(true)
        }
        fun UnionScope<Any>.types() {
            on<Long> { all -> int64("number") { all[it] } }
            on<String> { all -> utf8("text") { all[it] } }
            on<Boolean> { all -> bool("flag") { all[it] } }
        }
        same(5, DataType.denseUnion(*parts), { denseUnion("a", { row -> answers[row] }) { types() } }, fill)
        same(5, DataType.sparseUnion(*parts), { sparseUnion("a", { row -> answers[row] }) { types() } }, fill)
        shouldThrow<IllegalArgumentException> { cpu.batch(1) { denseUnion<Any>("a", { 'c' }) { types() } } }
            .message shouldContain "row 0: c has none of the union's types"
        cpu.batch(0) { denseUnion<Any>("a", { null }) { } }.use {
            (it.schema().fields().single().type() as UnionType).fields() shouldBe listOf()
        }
    }

    test("dictionaries accept values of any class, and their indices grow if `grows` is set") {
        val venues = listOf(Venue("X", "Paris"), null, Venue("Y", null), Venue("X", "Paris"))
        cpu.batch(4) {
            dictionary("a", { row -> venues[row] }, index = DataType.UINT8) { all ->
                struct {
                    utf8("code") { all[it].code }
                    utf8("city") { all[it].city }
                }
            }
        }.throughC().use { batch ->
            batch["a"].values() shouldBe venues.map { venue ->
                venue?.let { mapOf("code" to it.code, "city" to it.city) }
            }
            batch["a"].dictionary().length() shouldBe 2
        }
        cpu.batch(300) {
            dictionary("numbers", { it }, index = DataType.INT8, grows = true) { all ->
                int32(values = all.toIntArray())
            }
            dictionary("words", DataType.INT8, grows = true) { "word $it" }
        }.throughC().use { batch ->
            batch.schema().fields().map { it.type().format() } shouldBe listOf("s", "s")
            batch["numbers"].values() shouldBe List(300) { it.toLong() }
            batch["words"].values() shouldBe List(300) { "word $it" }
        }
        shouldThrow<IllegalArgumentException> { cpu.batch(300) { dictionary("words", DataType.INT8) { "word $it" } } }
            .message shouldContain "row 128: value 128"
    }

    test("run-end encoded columns find runs of equal values or take their lengths") {
        val states = listOf("on", "on", null, null, "off", "on")
        val fill: ColumnBuilder.() -> Unit = {
            for (state in states) if (state == null) appendNull() else append(state)
        }
        for (ends in listOf(DataType.INT16, DataType.INT32, DataType.INT64)) {
            val type = DataType.runEndEncoded(ends, Field.of("values", DataType.UTF8))
            same(6, type, {
                runEndEncoded("a", { row -> states[row] }, runEnds = ends) { all -> utf8 { all[it] } }
            }, fill)
            same(6, type, {
                runsOfCounts("a", intArrayOf(2, 2, 1, 1), ends) { utf8(values = listOf("on", null, "off", "on")) }
            }, fill)
        }
        same(0, DataType.runEndEncoded(DataType.INT32, Field.of("values", DataType.BOOL)),
            { runEndEncoded("a", { true }) { all -> bool { all[it] } } }) { }
        shouldThrow<IllegalArgumentException> { cpu.batch(1) { runsOfCounts("a", intArrayOf(0)) { bool { true } } } }
            .message shouldContain "a run of 0 rows"
    }

    test("a second column of elements, keys, runs, dictionary values or a union type is rejected") {
        fun refused(columns: ColumnScope.() -> Unit) =
            shouldThrow<IllegalStateException> { cpu.batch(1, columns = columns) }.message!!
        refused { listView("a", { listOf(1) }) { bool { true }; bool { true } } } shouldContain "already has its " +
            "column of elements"
        refused { map("a", { mapOf(1 to 1) }, keys = { bool { true }; bool { true } }) { bool { true } } } shouldContain
            "already has its column of keys"
        refused { runsOfCounts("a", intArrayOf(1)) { bool { true }; bool { true } } } shouldContain
            "runs already have their column"
        refused { dictionary("a", { 1 }) { bool { true }; bool { true } } } shouldContain "a dictionary already has " +
            "its column"
        refused { denseUnion("a", { 1 }) { on<Int> { bool("x") { true }; bool("y") { true } } } } shouldContain
            "a type of a union already has its column"
    }
})
