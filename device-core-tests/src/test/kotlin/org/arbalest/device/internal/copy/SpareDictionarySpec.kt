// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.copy

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.shouldBe
import org.arbalest.device.Conversion
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.Validation
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.builders.ColumnBuilder
import org.arbalest.device.columns.Selection
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType.IntType
import org.arbalest.device.types.NestedType.DictionaryType
import org.arbalest.support.ResourceCountersExtension
import java.lang.management.ManagementFactory
import java.math.BigDecimal

/** Dictionaries of which the rows of a result have few values. */
class SpareDictionarySpec : FunSpec({
    extension(ResourceCountersExtension)

    fun column(type: DataType, rows: Int, append: ColumnBuilder.(Int) -> Unit): RecordBatch =
        BatchBuilder.of(Devices.cpu(), rows).use { batch ->
            val column = batch.column(Field.of("a", type))
            repeat(rows) { column.append(it) }
            batch.build()
        }

    fun type(bits: Int = 32, ordered: Boolean = false, values: DataType = DataType.UTF8) =
        DictionaryType(IntType(bits, true), Field.of("", values), ordered)

    fun words(type: DataType, rows: Int = 1000): RecordBatch = column(type, rows) { append("the value $it") }

    fun values(array: RecordBatch): List<Any?> = array.column("a").toList()

    fun word(row: Long) = "the value $row"

    /** Joins arrays in several ways, and closes them. Returns the values and the lengths of the dictionary. */
    fun joined(arrays: List<RecordBatch>): List<Pair<List<Any?>, Long>> {
        fun look(array: RecordBatch) = array.use {
            it.validate(Validation.FULL)
            values(it) to it.column("a").dictionary().length()
        }
        val concat = look(DeviceArray.concat(arrays))
        val rebatched = RecordBatchReader.of(arrays[0].schema(), arrays).rebatch(1000).use { look(it.next()!!) }
        return listOf(concat, rebatched)
    }

    test("an ordered dictionary keeps its levels, also in few rows, so that it is joined to itself [ARR-21]") {
        words(type(ordered = true)).use { all ->
            val (one, two) = all.slice(0, 500) to all.slice(500, 500)
            fun some(vararg rows: Long) = Selection.where(500) { it in rows }
            val makes = mapOf<String, () -> List<RecordBatch>>(
                "take" to { listOf(one.take(3, 400, 90), two.take(7, 400, 300)) },
                "filter" to { listOf(one.filter(some(3, 90, 400)), two.filter(some(7, 300, 400))) },
                "slice" to { listOf(one.slice(3, 1), two.slice(7, 2)) },
            )
            for ((name, make) in makes) withClue(name) {
                val expected = make().flatMap { array -> array.use(::values) }
                for ((found, length) in joined(make())) {
                    found shouldBe expected
                    length shouldBe 1000
                }
            }
            one.slice(3, 1).use { row ->
                DeviceArray.concat(listOf(row)).use { it.column("a").dictionary().length() shouldBe 1000 }
            }
            one.close()
            two.close()
        }
    }

    test("filter and take share a dictionary, at a cost that does not depend on its length [SEL-03]") {
        fun source(rows: Int) = column(type(values = DataType.INT64), rows) { append(it.toLong()) }
        val allocated = listOf(1000, 200_000).map { rows ->
            source(rows).use { all ->
                val few = Selection.where(rows.toLong()) { it == 3L || it == 900L }
                fun both() {
                    for (made in listOf(all.filter(few), all.take(900, 3))) made.use {
                        (Conversion.of(it)!!.sharedBuffers() > 0) shouldBe true
                        it.column("a").dictionary().length() shouldBe rows
                    }
                }
                both()
                val threads = ManagementFactory.getThreadMXBean() as com.sun.management.ThreadMXBean
                val before = threads.currentThreadAllocatedBytes
                both()
                threads.currentThreadAllocatedBytes - before
            }
        }
        allocated[1] shouldBeLessThan allocated[0] + 50_000
    }

    test("few rows do not copy a large dictionary, though the rest of the source is larger [SEL-03]") {
        column(type(values = DataType.INT64), 200_000) { append(it % 20_000L) }.use { all ->
            all.take(900, 3).use {
                (Conversion.of(it)!!.sharedBuffers() > 0) shouldBe true
                values(it) shouldBe listOf(900L, 3L)
            }
        }
    }

    test("few rows leave out values of a dictionary at a cost that does not depend on its length [ARR-21]") {
        column(type(values = DataType.INT64), 1_000_000) { append(it.toLong()) }.use { all ->
            val few = listOf(all.slice(999_999, 1), all.slice(3, 2), all.slice(3, 1))
            val threads = ManagementFactory.getThreadMXBean() as com.sun.management.ThreadMXBean
            fun join() = DeviceArray.concat(few).use {
                values(it) shouldBe listOf(999_999L, 3L, 4L, 3L)
                it.column("a").dictionary().length() shouldBe 3
            }
            join()
            val before = threads.currentThreadAllocatedBytes
            join()
            threads.currentThreadAllocatedBytes - before shouldBeLessThan 100_000
            few.forEach(RecordBatch::close)
        }
    }

    test("values that cannot be united again are not left out while rows wait, so that they fit the indices [ARR-21]") {
        val pair = DataType.struct(Field.of("inner", type()), Field.of("number", DataType.decimal128(38, 0)))
        fun of(rows: Int) = column(type(8, values = pair), rows) { row ->
            dictionary().child("inner").append("the value $row".repeat(5))
            dictionary().child("number").append(BigDecimal(row))
            appendStruct()
        }
        of(120).use { all ->
            val parts = List(10) { part -> all.slice(part * 11L, 16) }
            val expected = parts.flatMap(::values)
            for ((found, length) in joined(parts)) {
                found shouldBe expected
                length shouldBe 120
            }
        }
    }

    test("dictionaries that cannot be compared leave out unused values before they are refused [ARR-21]") {
        fun of(from: Int) = column(type(8, values = DataType.struct(Field.of("inner", type()))), 100) { row ->
            dictionary().child("inner").append("the value ${from + row}")
            appendStruct()
        }
        listOf(of(0), of(100)).let { whole ->
            val parts = whole.map { it.slice(50, 49) }
            val expected = parts.flatMap(::values)
            for ((found, length) in joined(parts)) {
                found shouldBe expected
                length shouldBe 98
            }
            whole.forEach(RecordBatch::close)
        }
    }

    test("many small arrays whose dictionaries cannot be united wait as they are, and are joined once [SEL-11]") {
        fun of(from: Int) = column(type(8, values = DataType.struct(Field.of("inner", type()))), 100) { row ->
            dictionary().child("inner").append("the value ${from + row}")
            appendStruct()
        }
        val whole = listOf(of(0), of(100))
        val parts = List(320) { whole[it % 2].slice((it % 20 / 2).toLong(), 1) }
        val expected = parts.flatMap(::values)
        for ((found, _) in joined(parts)) found shouldBe expected
        whole.forEach(RecordBatch::close)
    }

    test("values that were chosen for the slots of a known hash are united within the allowed steps [ARR-21]") {
        var inverse = 1
        repeat(5) { inverse *= 2 - inverse * -0x61c88647 } // Newton's method, modulo 2 to the power of 32
        val arrays = List(2) { part ->
            column(type(values = DataType.INT64), 40_000) { row ->
                append(((row + part) * inverse).toLong() and 0xffffffffL)
            }
        }
        DeviceArray.concat(arrays).use { it.column("a").dictionary().length() shouldBe 40_001 }
        arrays.forEach(RecordBatch::close)
    }

    for ((name, type) in mapOf(
        "ordered" to type(ordered = true),
        "incomparable" to type(values = DataType.struct(Field.of("inner", type()))),
    )) test("equal $name dictionaries of batches are kept once while few rows of each wait [SEL-11]") {
        fun source() = column(type, 300) { row ->
            if (type.ordered()) {
                append("the value $row")
            } else {
                dictionary().child("inner").append("the value $row")
                appendStruct()
            }
        }
        val expected = source().use { listOf(values(it)[5], values(it)[200]) }
        val before = ResourceCounters.now()
        val one = source().use { ResourceCounters.now().since(before).bufferBytes() }
        var held = 0L
        var next = 0
        val reader = RecordBatchReader.of(source().use { it.schema() }, {
            held = maxOf(held, ResourceCounters.now().since(before).bufferBytes())
            if (next++ == 100) null else source().use { it.take(5, 200) }
        })
        reader.rebatch(1000).use { rebatched ->
            rebatched.next()!!.use {
                values(it) shouldBe List(100) { expected }.flatten()
                it.column("a").dictionary().length() shouldBe 300
            }
        }
        held shouldBeLessThan 4 * one
    }

    test("the rows of filtered arrays with a large dictionary do not keep it while they wait [SEL-11]") {
        val before = ResourceCounters.now()
        var held = 0L
        var next = 0
        val source = DeviceArrayReader.Source<RecordBatch> {
            held = maxOf(held, ResourceCounters.now().since(before).bufferBytes())
            if (next++ == 50) null else words(type())
        }
        RecordBatchReader.of(words(type()).use { it.schema() }, source)
            .filter { Selection.where(1000) { row -> row == 5L || row == 700L } }.rebatch(1000).use { reader ->
                reader.next()!!.use {
                    values(it) shouldBe List(50) { listOf(word(5), word(700)) }.flatten()
                    it.column("a").dictionary().length() shouldBe 2
                }
            }
        held shouldBeLessThan 100_000
    }
})
