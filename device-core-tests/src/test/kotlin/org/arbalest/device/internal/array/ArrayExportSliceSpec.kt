// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe
import org.arbalest.device.DeviceArray
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.support.Balanced
import org.arbalest.device.support.batch
import org.arbalest.device.support.release
import org.arbalest.device.support.struct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType.ListType
import org.arbalest.device.types.NestedType.StructType
import java.lang.foreign.Arena

class ArrayExportSliceSpec : FunSpec({
    extension(Balanced)

    fun exported(array: DeviceArray, look: (Long) -> Unit) = Arena.ofConfined().use { arena ->
        val out = arena.struct()
        CData.exportArray(array, out, CExport.DATA)
        look(out.address())
        release(out)
    }

    fun describe(array: Long) =
        Triple(RawArrowArray.offset(array), RawArrowArray.length(array), RawArrowArray.nullCount(array))

    /**
     * Builds a batch: `id` is int64; `maybe` is int64 with a null in each third row; `nothing` is null; `tags` is a
     * list of int64.
     */
    fun nested(rows: Int): RecordBatch = BatchBuilder.of(Devices.cpu(), rows).use { batch ->
        batch.int64("id", LongArray(rows) { it.toLong() })
        batch.column(Field.of("maybe", DataType.INT64)).appendAll(LongArray(rows)).setNulls { it % 3 == 0 }
        batch.column(Field.of("nothing", DataType.NULL)).also { column -> repeat(rows) { column.appendNull() } }
        val tags = batch.column(Field.of("tags", ListType(Field.of("item", DataType.INT64))))
        repeat(rows) { tags.items().append(it.toLong()); tags.appendList(1) }
        batch.build()
    }

    test("the export of a sliced batch begins at 0, and its columns have the slice's offset [ARR-13]") {
        nested(10).use { batch ->
            exported(batch.slice(3, 5)) { out ->
                describe(out) shouldBe Triple(0L, 5L, 0L)
                describe(RawArrowArray.child(out, 0)) shouldBe Triple(3L, 5L, 0L)
                describe(RawArrowArray.child(out, 1)) shouldBe Triple(3L, 5L, -1L)
                describe(RawArrowArray.child(out, 2)) shouldBe Triple(3L, 5L, 5L)
                describe(RawArrowArray.child(out, 3)) shouldBe Triple(3L, 5L, 0L)
                describe(RawArrowArray.child(RawArrowArray.child(out, 3), 0)) shouldBe Triple(0L, 10L, 0L)
            }
        }
    }

    test("the offsets of nested slices add up, and the sliced arrays do not change [ARR-13]") {
        nested(10).use { batch ->
            batch.slice(2, 8).use { outer ->
                exported(outer.slice(3, 4)) { describe(RawArrowArray.child(it, 0)) shouldBe Triple(5L, 4L, 0L) }
                exported(outer.retain()) { describe(RawArrowArray.child(it, 0)) shouldBe Triple(2L, 8L, 0L) }
            }
            exported(batch.retain()) {
                describe(it) shouldBe Triple(0L, 10L, 0L)
                describe(RawArrowArray.child(it, 1)) shouldBe Triple(0L, 10L, 4L)
            }
        }
    }

    test("a sliced struct with nulls is exported with its own offset, and its children are not sliced [ARR-10]") {
        val field = Field.of("at", StructType(listOf(Field.of("x", DataType.INT64))))
        val batch = BatchBuilder.of(Devices.cpu(), 6).use { batch ->
            val at = batch.column(field)
            repeat(6) {
                at.child("x").append(10L * it)
                if (it == 4) at.appendNull() else at.appendStruct()
            }
            batch.build()
        }
        batch.use {
            batch.retainChild(0).use { whole -> whole.slice(2, 3) }.use { slice ->
                exported(slice.retain()) { out ->
                    describe(out) shouldBe Triple(2L, 3L, -1L)
                    RawArrowArray.buffer(out, 0) shouldNotBe 0L
                    describe(RawArrowArray.child(out, 0)) shouldBe Triple(0L, 6L, 0L)
                }
                slice.asColumn().get(0) shouldBe mapOf("x" to 20L)
                slice.asColumn().get(2) shouldBe null
            }
        }
    }

    test("a slice's null count is exact without nulls and for null arrays, and -1 otherwise [ARR-06]") {
        nested(10).use { batch ->
            for ((index, expected) in listOf(0 to 0L, 1 to -1L, 2 to 4L, 3 to 0L)) {
                batch.retainChild(index).use { column ->
                    exported(column.slice(1, 4)) { describe(it) shouldBe Triple(1L, 4L, expected) }
                }
            }
        }
    }

    test("an empty slice at the end of a batch is exported as a valid array that begins at 0 [ARR-12, ARR-19]") {
        nested(3).use { batch ->
            exported(batch.slice(3, 0)) { out ->
                describe(out) shouldBe Triple(0L, 0L, 0L)
                for (i in 0L..3L) describe(RawArrowArray.child(out, i)) shouldBe Triple(0L, 0L, 0L)
                Structure.validate(batch.field(), out)
            }
        }
    }
})
