// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.builders

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.Validation
import org.arbalest.device.support.struct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType
import org.arbalest.device.types.NestedType.StructType
import org.arbalest.device.types.NestedType.UnionType
import org.arbalest.support.EveryType
import org.arbalest.support.ResourceCountersExtension
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.util.BitSet
import kotlin.random.Random

/** Several nulls that are appended at once: by their number, or by a validity bitmap. */
class ColumnBuilderNullsSpec : FunSpec({
    extension(ResourceCountersExtension)

    fun built(
        field: Field,
        rows: Int,
        fill: ColumnBuilder.() -> Unit,
    ): RecordBatch = BatchBuilder.of(Devices.cpu(), rows).use { batch ->
        batch.column(field).fill()
        batch.build()
    }

    // appends values that are not null
    fun ColumnBuilder.values(field: Field, from: Int, count: Int) = repeat(count) {
        EveryType.append(this, field.type(), 4 * ((from + it) % 25))
    }

    /** Appends the fields of [count] null structs, as the builder requires. */
    fun ColumnBuilder.fieldsOfNulls(field: Field, count: Long) {
        val type = field.type() as? StructType ?: return
        type.fields().forEachIndexed { i, child ->
            repeat(count.toInt()) { EveryType.append(child(i), child.type(), 4 + i) }
        }
    }

    test("appendNulls equals repeated appendNull for every type, at every position in a bitmap word [BLD-19]") {
        for (field in EveryType.fields) for (before in listOf(0, 1, 63, 64, 70))
            for (nulls in listOf(0L, 1L, 2L, 57L, 58L, 64L, 65L, 200L)) {
                withClue("$field: $nulls nulls after $before rows") {
                    val rows = before + nulls.toInt() + 3
                    fun array(append: ColumnBuilder.() -> Unit) = built(field, rows) {
                        values(field, 0, before)
                        fieldsOfNulls(field, nulls)
                        append()
                        values(field, before, 3)
                    }
                    val whole = array { appendNulls(nulls) }
                    val single = array { repeat(nulls.toInt()) { appendNull() } }
                    whole.use { single.use {
                        whole.difference(single) shouldBe null
                        whole.validate(Validation.FULL)
                        whole.column(0).nullCount() shouldBe if (field.type() == DataType.NULL) rows.toLong() else nulls
                    } }
                }
            }
    }

    test("values between repeated calls of appendNulls keep their rows [BLD-19]") {
        for (type in listOf(
            DataType.INT64, DataType.INT16, DataType.FLOAT64, DataType.BOOL, DataType.UTF8, DataType.decimal128(38, 0),
        )) withClue(type) {
            val field = Field.of("a", type)
            val random = Random(7)
            val counts = List(60) { random.nextInt(0, 150) }
            built(field, counts.sum() + 60) {
                for ((i, count) in counts.withIndex()) {
                    appendNulls(count.toLong())
                    values(field, i, 1)
                }
            }.use { array ->
                val column = array.column(0)
                column.nullCount() shouldBe counts.sum().toLong()
                var row = 0L
                for (count in counts) {
                    repeat(count) { column.isNull(row++) shouldBe true }
                    column.isNull(row++) shouldBe false
                }
                array.validate(Validation.FULL)
            }
        }
    }

    test(
        "appendNulls fills fixed-size lists and adds one run, but the caller appends the fields of null structs " +
            "[BLD-19]",
    ) {
        val struct = Field.of("s", StructType(listOf(Field.of("x", DataType.INT32))))
        BatchBuilder.of(Devices.cpu(), 3).use { batch ->
            val column = batch.column(struct).appendNulls(3)
            shouldThrow<IllegalStateException> { batch.build() }.message shouldContain "its field \"x\" has 0"
            column.child("x").appendNulls(3)
            batch.build().use { it.column("s").nullCount() shouldBe 3 }
        }
        built(Field.of("f", DataType.fixedSizeList(Field.of("item", DataType.INT64).withNullable(false), 3)), 50) {
            appendNulls(50)
        }.use {
            it.column("f").items().length() shouldBe 150
            it.column("f").items().nullCount() shouldBe 0
        }
        built(Field.of("r", DataType.runEndEncoded(DataType.INT32, Field.of("v", DataType.INT8))), 900) {
            append(1).appendNulls(500).appendNulls(398).append(2)
        }.use {
            it.column("r").runs().values().length() shouldBe 3
            it.column("r").nullCount() shouldBe 898
        }
    }

    test("appendNulls appends no null if it cannot append all [OWN-15]") {
        fun refused(
            field: Field,
            count: Long,
            says: String,
            before: ColumnBuilder.() -> Unit = {},
        ) = BatchBuilder.of(Devices.cpu(), 1).use { batch ->
            val column = batch.column(field).apply(before)
            val length = column.length()
            shouldThrow<RuntimeException> { column.appendNulls(count) }.message!! shouldContain says
            column.length() shouldBe length
        }
        refused(Field.of("a", DataType.INT8), -1, "column \"a\", row 0: -1 nulls")
        refused(Field.of("a", DataType.NULL), Long.MAX_VALUE, "9223372036854775807 nulls") { appendNull() }
        refused(Field.of("a", DataType.INT8).withNullable(false), 2,
            "column \"a\" is not nullable, but row 1 is null") { append(1) }
        refused(Field.of("a", DataType.runEndEncoded(DataType.INT16, Field.of("v", DataType.INT8))), 32767,
            "count (32767)") { append(1) }
        val item = Field.of("item", DataType.runEndEncoded(DataType.INT16, Field.of("v", DataType.INT8)))
        refused(Field.of("a", DataType.fixedSizeList(item, 2)), 16384, "count (32767)")
        refused(Field.of("a", DataType.fixedSizeList(Field.of("item", DataType.INT8), 2)), 2,
            "but 0 were appended") { appendList(2) }
        refused(Field.of("a", DataType.sparseUnion(Field.of("n", DataType.INT8), item)), 32768, "count (32767)")
        BatchBuilder.of(Devices.cpu(), 0).use { batch ->
            val column = batch.column(Field.of("a", DataType.INT8).withNullable(false)).appendNulls(0)
            val builder = batch.column(Field.of("b", DataType.struct(Field.of("x", DataType.INT8))))
            batch.build().close()
            for (kept in listOf(column, builder)) {
                shouldThrow<IllegalStateException> { kept.appendNulls(1) }
                shouldThrow<IllegalStateException> { kept.setNulls(0, MemorySegment.ofArray(ByteArray(1)), 0) }
            }
        }
    }

    /** Returns a bitmap without a spare byte, in [arena] or on the heap. */
    fun bitmap(bits: BitSet, count: Int, arena: Arena?): MemorySegment {
        val bytes = bits.toByteArray().copyOf((count + 7) / 8)
        return if (arena == null) MemorySegment.ofArray(bytes)
        else arena.allocate(bytes.size.toLong()).copyFrom(MemorySegment.ofArray(bytes))
    }

    test("setNulls makes only the rows with an unset bit null, from any bit and row [BLD-19]") {
        val random = Random(3)
        Arena.ofConfined().use { arena ->
            for (type in listOf(DataType.INT64, DataType.INT8)) for (rows in listOf(0, 1, 63, 64, 65, 200))
                for (from in listOf(0, 1, 63, 64, 100, 200).filter { it <= rows }) {
                    for (bitOffset in 0..9) for (where in listOf(null, arena))
                        withClue("$type: $rows rows from $from, bit $bitOffset") {
                            val bits = BitSet().apply {
                                repeat(bitOffset + rows - from) { set(it, random.nextBoolean()) }
                            }
                            val earlier = BitSet().apply { repeat(rows) { set(it, random.nextInt(10) == 0) } }
                            built(Field.of("a", type), rows) {
                                appendAll(ByteArray(rows) { it.toByte() }).setNulls(earlier::get)
                                setNulls(from.toLong(), bitmap(bits, bitOffset + rows - from, where),
                                    bitOffset.toLong())
                            }.use { array ->
                                val column = array.column(0)
                                val right = (0 until rows).map {
                                    earlier[it] || it >= from && !bits[bitOffset + it - from]
                                }
                                (0 until rows).map { column.isNull(it.toLong()) } shouldBe right
                                column.nullCount() shouldBe right.count { it }.toLong()
                                for (row in 0 until rows) if (!right[row]) column.getLong(row.toLong()) shouldBe
                                    row.toByte().toLong()
                            }
                        }
                }
        }
    }

    test("pages of values, each with its own bitmap, form one column [BLD-19]") {
        built(Field.of("a", DataType.INT32), 5) {
            for (page in listOf(intArrayOf(1, 2, 3), intArrayOf(4, 5))) appendAll(page)
                .setNulls(length() - page.size, MemorySegment.ofArray(byteArrayOf(0b0101)), 0)
        }.use { array -> (0L..4L).map(array.column("a")::get) shouldBe listOf(1L, null, 3L, 4L, null) }
    }

    test("setNulls makes no row null if the bitmap is unusable or a row cannot be null [OWN-15]") {
        val zeroes = MemorySegment.ofArray(ByteArray(2))
        val closed = Arena.ofConfined().use { it.allocate(80) }
        for (nullable in listOf(true, false)) BatchBuilder.of(Devices.cpu(), 17).use { batch ->
            val column = batch.column(Field.of("a", DataType.INT32).withNullable(nullable)).appendAll(IntArray(17))
            shouldThrow<IndexOutOfBoundsException> { column.setNulls(0, zeroes, 0) }.message shouldBe
                "column \"a\": 17 rows from bit 0 of 2 bytes on"
            for ((from, bit) in listOf(1L to 1L, 0L to -1L, 16L to Long.MAX_VALUE, -1L to 0L, 18L to 0L)) {
                shouldThrow<IndexOutOfBoundsException> { column.setNulls(from, zeroes, bit) }
            }
            shouldThrow<IllegalStateException> { column.setNulls(0, closed, 0) }
            if (!nullable) shouldThrow<IllegalArgumentException> {
                column.setNulls(1, MemorySegment.ofArray(byteArrayOf(-1, 0x7f)), 0)
            }.message shouldBe
                "column \"a\" is not nullable, but row 16 is null"
            batch.build().use { it.column("a").nullCount() shouldBe 0 }
        }
        for (field in EveryType.fields.filter { it.type() is UnionType || it.type() is NestedType.RunEndEncodedType })
            BatchBuilder.of(Devices.cpu(), 1).use { batch ->
                shouldThrow<IllegalArgumentException> {
                    batch.column(field).setNulls(0, zeroes, 0)
                }.message shouldContain
                    "no nulls of its own"
            }
        Arena.ofConfined().use { arena ->
            val all = MemorySegment.NULL.reinterpret(Long.MAX_VALUE) // a long cannot count its bits
            val bit = 8 * arena.allocate(8).address()
            built(Field.of("a", DataType.INT32), 2) { appendAll(IntArray(2)).setNulls(0, all, bit) }.use {
                it.column("a").nullCount() shouldBe 2
            }
        }
    }
})
