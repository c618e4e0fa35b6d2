// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.convert

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.ArrayData
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.Validation
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.columns.Selection
import org.arbalest.device.internal.memory.NativeHeap
import org.arbalest.device.support.BEYOND_32_BITS
import org.arbalest.device.support.batch
import org.arbalest.device.support.together
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.support.EveryType
import org.arbalest.support.ResourceCountersExtension
import kotlin.concurrent.thread

/** Rows of arrays that a peer made wrong or huge, and of arrays that are closed or changed meanwhile. */
class ArrayRowsFaultsSpec : FunSpec({
    extension(ResourceCountersExtension)

    fun column(type: DataType, vararg values: Any?): RecordBatch =
        BatchBuilder.of(Devices.cpu(), values.size).use { builder ->
            val column = builder.column(Field.of("c", type))
            for (value in values) when (value) {
                null -> column.appendNull()
                is String -> column.append(value)
                else -> column.append((value as Number).toLong())
            }
            builder.build()
        }

    val odd = Selection.where(4) { it % 2 == 0L }

    fun rejected(vararg offsets: Pair<Int, Long>): String =
        column(DataType.LARGE_UTF8, "a", "bc", "def", "g").use { array ->
            val at = array.column("c").bufferAddress(1)
            for ((i, offset) in offsets) NativeHeap.putLong(at + 8 * i, offset)
            shouldThrow<DeviceException> { array.filter(odd).use { EveryType.rows(it).toString() } }.message!!
        }

    test("texts are rejected if the last offset is negative [SEL-06]") {
        rejected(4 to Long.MIN_VALUE, 1 to (1L shl 20)) shouldContain "is beyond"
    }

    test("64-bit offsets whose difference overflows are rejected [SEL-06]") {
        rejected(0 to Long.MAX_VALUE, 1 to Long.MIN_VALUE + 8) shouldContain "is before offsets[0]"
    }

    test("repeated texts beyond the reach of 32-bit offsets are rejected before memory is allocated [SEL-06]") {
        column(DataType.UTF8, "x".repeat(1 shl 24), "y").use { big ->
            shouldThrow<DeviceException> { big.take(*IntArray(130)) }.message shouldBe
                "$.c: 2181038080 bytes of data $BEYOND_32_BITS"
        }
    }

    test("more rows than run ends of 16 bits reach are rejected [SEL-06]") {
        column(DataType.runEndEncoded(DataType.INT16, Field.of("values", DataType.INT64)), 1, 2).use { runs ->
            shouldThrow<DeviceException> { runs.take(*IntArray(40_000)) }.message shouldBe
                "$.c: 40000 elements are more than run ends of 16 bits reach"
        }
    }

    test("nulls in lists need no memory [SEL-06]") {
        val field = Field.of("l", DataType.largeList(Field.of("item", DataType.NULL)))
        val offsets = Devices.cpu().allocate(32)
        val ends = longArrayOf(0, 1L shl 50, (1L shl 50) + 1, 1L shl 51)
        for (i in 0..3) NativeHeap.putLong(offsets.address() + 8 * i, ends[i])
        DeviceArray.of(field, ArrayData.of(3, 0, listOf(null, offsets),
            listOf(ArrayData.of(1L shl 51, 1L shl 51, listOf())))).use { lists ->
            lists.filter(Selection.where(3) { it != 1L }).use {
                it.length() shouldBe 2
                it.asColumn().items().length() shouldBe (1L shl 51) - 1
            }
        }
        val pairs = Field.of("l", DataType.fixedSizeList(Field.of("item", DataType.NULL), Int.MAX_VALUE))
        val items = 3L * Int.MAX_VALUE
        DeviceArray.of(pairs, ArrayData.of(3, 0, listOf(null), listOf(ArrayData.of(items, items, listOf())))).use {
            it.take(2, 0, 0, 2).use { lists -> lists.asColumn().items().length() shouldBe 4L * Int.MAX_VALUE }
        }
    }

    test("null indices take null rows of an array without rows [SEL-04]") {
        column(DataType.INT16, null, null, null).use { at ->
            for (from in listOf(0, 5)) EveryType.batch(0, from).use { it.slice(from.toLong(), 0) }.use { empty ->
                empty.take(at.column("c")).use { rows ->
                    rows.validate(Validation.FULL)
                    EveryType.rows(rows) shouldBe List(3) { EveryType.fields.associate { it.name() to null } }
                }
                for (i in EveryType.fields.indices) empty.retainChild(i).use { child ->
                    child.take(at.column("c")).use { rows ->
                        rows.validate(Validation.FULL)
                        EveryType.rows(rows) shouldBe listOf(null, null, null)
                    }
                }
            }
        }
    }

    test("a null index is rejected by a union none of whose children can be null [SEL-04]") {
        val child = Field.of("n", DataType.INT64).withNullable(false)
        val type = DataType.sparseUnion(child)
        val field = Field.of("", DataType.struct(Field.of("u", type))).withNullable(false)
        val ids = Devices.cpu().allocate(1).also { NativeHeap.putByte(it.address(), 0) }
        val one = Devices.cpu().allocate(8).also { NativeHeap.putLong(it.address(), 1) }
        DeviceArray.of(field, ArrayData.of(1, 0, listOf(null),
            listOf(ArrayData.of(1, 0, listOf(ids), listOf(ArrayData.of(1, 0, listOf(null, one))))))).use { batch ->
            column(DataType.INT8, 0, null).use { at ->
                shouldThrow<IllegalArgumentException> { batch.take(at.column("c")) }.message shouldContain
                    "index 1 is null, but u: $type has no field that can store a null; omit null indices"
            }
        }
    }

    test("an error shows an unsigned index as an unsigned number [SEL-05]") {
        column(DataType.UINT64, -1L).use { at ->
            batch(3).use { rows ->
                shouldThrow<IndexOutOfBoundsException> { rows.take(at.column("c")) }.message shouldBe
                    "index 0 is row 18446744073709551615, but the array has 3 rows"
            }
        }
    }

    test("a closed column of indices is rejected [SEL-08]") {
        batch(5).use { rows ->
            val at = column(DataType.INT64, 3, 1)
            val closed = at.column("c")
            at.close()
            shouldThrow<IllegalStateException> { rows.take(closed) }
        }
    }

    test("a closed batch is rejected, also if a condition closes it [SEL-08]") {
        val rows = batch(500)
        val ids = rows.column("id").asLongs()
        shouldThrow<IllegalStateException> {
            Selection.where(ids) {
                if (it == 70L) rows.close()
                true
            }
        }
        shouldThrow<IllegalStateException> { rows.filter(Selection.where(500) { it == 1L }) }
        shouldThrow<IllegalStateException> { rows.take(1) }
        shouldThrow<IllegalStateException> { rows.take(*intArrayOf()) }
        val empty = batch(0)
        empty.close()
        shouldThrow<IllegalStateException> { empty.filter(Selection.where(0) { true }) }
    }

    test("rows of a batch that another thread closes are either returned or rejected [SEL-08]") {
        val rows = Selection.where(500) { it % 3 == 0L }
        repeat(200) {
            val batch = batch(500)
            together(2) { thread ->
                if (thread == 0) batch.close()
                else try {
                    (if (it % 2 == 0) batch.filter(rows) else batch.take(3, 1)).close()
                } catch (_: IllegalStateException) {
                    // the batch was closed first
                }
            }
        }
    }

    test("filtered columns join a batch, and joined and selected batches are filtered [SEL-01, SEL-23]") {
        val some = Selection.where(40) { it % 3 != 1L }
        val again = Selection.where(some.count()) { it % 4 != 2L }
        fun pick(rows: List<Any?>, by: Selection) = rows.filterIndexed { i, _ -> by.isSelected(i.toLong()) }
        EveryType.batch(0, 40).use { source ->
            val all = EveryType.rows(source)
            val kept = source.filter(some)
            val columns = EveryType.fields.indices.map { kept.retainChild(it) }
            val cut = EveryType.batch(3, some.count().toInt() + 5).use { it.slice(5, some.count()) }
            val joined = EveryType.fields.foldIndexed(cut.retain()) { i, to, field ->
                if (i % 2 == 0) to.use { it.withColumn(field.name(), columns[i]) } else to
            }
            val made = RecordBatch.ofColumns(EveryType.fields.map { it.name() }, columns)
            for (it in columns + kept) it.close()
            made.use {
                it.validate(Validation.FULL)
                EveryType.rows(it) shouldBe pick(all, some)
                it.filter(again).use { less ->
                    less.validate(Validation.FULL)
                    EveryType.rows(less) shouldBe pick(pick(all, some), again)
                }
            }
            joined.use {
                it.validate(Validation.FULL)
                val rows = EveryType.rows(it)
                it.filter(again).use { less ->
                    less.validate(Validation.FULL)
                    EveryType.rows(less) shouldBe pick(rows, again)
                    less.slice(1, 7).use { part -> EveryType.rows(part) shouldBe pick(rows, again).subList(1, 8) }
                }
            }
            cut.close()
        }
    }
})
