// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.convert

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceArray
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.support.release
import org.arbalest.device.support.struct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import org.arbalest.support.withNullRows
import java.lang.foreign.Arena

/** The structs that C receives of joined batches: each column has the rows of its batch. */
class ArrayColumnsExportSpec : FunSpec({
    extension(ResourceCountersExtension)

    val place = Field.of("place", DataType.struct(Field.of("x", DataType.INT64), Field.of("y", DataType.UTF8)))

    fun batch(rows: Int): RecordBatch = BatchBuilder.of(Devices.cpu(), rows).use { batch ->
        batch.int64("id", LongArray(rows) { it.toLong() }).utf8("name", List(rows) { "n$it" })
        val struct = batch.column(place)
        repeat(rows) {
            struct.child("x").append(10L * it)
            struct.child("y").append("y$it")
            struct.appendStruct()
        }
        batch.build()
    }

    /** Returns the offsets and lengths of a struct and those below it, without values of lists and dictionaries. */
    fun windows(array: Long): List<Pair<Long, Long>> =
        listOf(RawArrowArray.offset(array) to RawArrowArray.length(array)) +
            (0 until RawArrowArray.nChildren(array)).flatMap { windows(RawArrowArray.child(array, it)) }

    fun exported(array: DeviceArray): List<Pair<Long, Long>> = Arena.ofConfined().use { arena ->
        val out = arena.struct()
        CData.exportArray(array.retain(), out, CExport.DATA)
        windows(out.address()).also { release(out) }
    }

    test("C receives columns of the batch's length, from the first rows of longer arrays [ARR-13, SEL-29]") {
        batch(9).use { long ->
            listOf(0, 1, 2).map { long.retainChild(it).use { column -> column.slice(0, 4) } }.let { columns ->
                RecordBatch.ofColumns(listOf("a", "b", "c"), columns).also { columns.forEach { it.close() } }
            }
        }.use {
            exported(it) shouldBe List(6) { 0L to 4L }
            it.select("c", "a").use { less -> exported(less) shouldBe List(5) { 0L to 4L } }
            it.select("c.y").use { less -> exported(less) shouldBe List(3) { 0L to 4L } }
        }
    }

    test("C receives a sliced batch with another column in one length [ARR-13, SEL-29]") {
        batch(9).use { long ->
            long.slice(0, 5).use { rows ->
                long.retainChild(2).use { it.slice(3, 5) }.use { rows.withColumn("there", it) }
            }
        }.use {
            exported(it) shouldBe listOf(0L to 5L, 0L to 5L, 0L to 5L, 0L to 5L, 0L to 5L, 0L to 5L,
                0L to 5L, 3L to 5L, 3L to 5L)
            it.slice(1, 2).use { part ->
                exported(part) shouldBe listOf(0L to 2L, 1L to 2L, 1L to 2L, 0L to 2L, 1L to 2L, 1L to 2L,
                    0L to 2L, 4L to 2L, 4L to 2L)
            }
        }
    }

    test("C receives columns without more rows than a batch with null rows [SEL-29]") {
        batch(9).withNullRows(2).use { long ->
            long.slice(0, 5).use { rows -> long.retainChild(0).use { it.slice(0, 5) }.use { rows.withColumn("n", it) } }
        }.use {
            exported(it) shouldBe List(7) { 0L to 5L }
        }
    }

    test("C receives a struct column that was imported with an offset, with that of its fields [ARR-13]") {
        batch(9).use { it.retainChild(2) }.use { it.slice(2, 5) }.use { rows ->
            RecordBatch.ofColumns(listOf("place"), listOf(rows)).use { whole ->
                exported(whole) shouldBe listOf(0L to 5L, 0L to 5L, 2L to 5L, 2L to 5L)
                Arena.ofConfined().use { arena ->
                    val (out, schema) = arena.struct() to arena.struct(StructKind.SCHEMA)
                    CData.exportArray(whole.retain(), out, CExport.DATA.schemaTo(schema))
                    // as a producer that keeps the offset in the struct
                    val child = RawArrowArray.child(out.address(), 0)
                    RawArrowArray.setOffset(child, 2)
                    for (i in 0L..1L) RawArrowArray.child(child, i).let {
                        RawArrowArray.setOffset(it, 0)
                        RawArrowArray.setLength(it, 9)
                    }
                    CData.importArray(out, CImport.DATA.schema(schema)).use {
                        exported(it) shouldBe listOf(0L to 5L, 0L to 5L, 2L to 5L, 2L to 5L)
                        it.difference(whole) shouldBe null
                    }
                }
            }
        }
    }
})
