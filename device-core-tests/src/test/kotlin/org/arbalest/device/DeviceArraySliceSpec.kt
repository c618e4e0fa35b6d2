// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.support.struct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType.FixedSizeListType
import org.arbalest.device.types.NestedType.ListType
import org.arbalest.device.types.NestedType.RunEndEncodedType
import org.arbalest.device.types.NestedType.StructType
import org.arbalest.device.types.NestedType.UnionType
import org.arbalest.device.types.Schema
import org.arbalest.support.CCompiler
import org.arbalest.support.EveryType
import org.arbalest.support.PeerNodes
import org.arbalest.support.PeerStreams
import org.arbalest.support.PeerStreams.Flavour.SLICED
import org.arbalest.support.PeerStreams.Flavour.UNALIGNED
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import kotlin.random.Random

class DeviceArraySliceSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    val whole = EveryType.batch(0, 60)
    val values = EveryType.rows(whole)
    afterSpec { whole.close() }

    val random = Random(12)
    val ranges = listOf(0 to 60, 0 to 1, 59 to 1, 60 to 0, 8 to 16, 0 to 0) + List(40) {
        val from = random.nextInt(60)
        from to random.nextInt(60 - from + 1)
    }

    test("a batch of every type has the values that were appended") {
        val row = values[5] as Map<*, *>
        row["int8"] shouldBe 5
        row["float16"] shouldBe 2.5
        row["utf8"] shouldBe "row row 5"
        row["decimal256"] shouldBe java.math.BigDecimal("5.00")
        row["list"] shouldBe listOf(null, mapOf("x" to 17L, "word" to "18"))
        row["list_of_lists"] shouldBe listOf(null, listOf(true))
        row["dictionary"] shouldBe "word 0"
        (values[3] as Map<*, *>).values.toSet() shouldBe setOf(null)
    }

    test("slices of every type read the right values [ARR-12]") {
        for ((from, count) in ranges) {
            whole.slice(from.toLong(), count.toLong()).use {
                EveryType.rows(it) shouldBe values.subList(from, from + count)
            }
        }
    }

    test("an exported slice of every type has the checksum of a batch with only these rows [ARR-12]") {
        for ((from, count) in ranges) {
            EveryType.checksum(whole.slice(from.toLong(), count.toLong())) shouldBe
                EveryType.checksum(EveryType.batch(from, count))
        }
        EveryType.checksum(whole.slice(1, 5)) shouldNotBe EveryType.checksum(whole.slice(2, 5))
    }

    test("a single column that is sliced twice is exported correctly [ARR-12]") {
        for (i in EveryType.fields.indices) {
            val sliced = whole.slice(3, 50).use { outer -> outer.retainChild(i).use { it.slice(4, 30) } }
            EveryType.checksum(sliced) shouldBe EveryType.batch(7, 30).use { EveryType.checksum(it.retainChild(i)) }
        }
    }

    /** Exports all rows, and slices them as C code does, by writing to the structs. Rows 3 to 57 remain. */
    fun slicedInC(arena: Arena): MemorySegment {
        val out = arena.struct(StructKind.ARRAY)
        whole.retain().use { CData.exportArray(it, out, CExport.DATA) }
        val batch = out.address()
        for ((i, field) in EveryType.fields.withIndex()) {
            val column = RawArrowArray.child(batch, i.toLong())
            RawArrowArray.setOffset(column, 1)
            RawArrowArray.setLength(column, 59)
            if (field.type() !is UnionType && field.type() !is RunEndEncodedType) RawArrowArray.setNullCount(column, -1)
        }
        RawArrowArray.setOffset(batch, 2)
        RawArrowArray.setLength(batch, 55)
        return out
    }

    test("arrays of every type that C code sliced are read and exported correctly [ARR-12]") {
        Arena.ofConfined().use { arena ->
            CData.importBatch(slicedInC(arena), CImport.DATA.schema(whole.field())).use { array ->
                EveryType.rows(array) shouldBe values.subList(3, 58)
                EveryType.checksum(array.retain()) shouldBe EveryType.checksum(EveryType.batch(3, 55))
                array.slice(10, 20).use { EveryType.rows(it) shouldBe values.subList(13, 33) }
                EveryType.checksum(array.slice(10, 20)) shouldBe EveryType.checksum(EveryType.batch(13, 20))
                array.column("utf8").nullCount() shouldBe (3 until 58).count { it % 4 == 3 }
            }
        }
    }

    test("toLongArray, toDoubleArray and segment begin at the first row of a slice [ARR-12]") {
        whole.slice(4, 3).use { slice ->
            slice.column("int64").toLongArray().toList() shouldContainExactly listOf(4L, 5L, 6L)
            slice.column("float32").toDoubleArray().toList() shouldContainExactly listOf(2.0, 2.5, 3.0)
            Arena.ofConfined().use { arena ->
                slice.column("int16").segment(arena).toArray(java.lang.foreign.ValueLayout.JAVA_SHORT).toList() shouldBe
                    listOf<Short>(4, 5, 6)
                String(slice.column("utf8").segment(arena).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE)) shouldBe
                    "row 4row row 56"
            }
        }
    }

    test("the C peer's sliced and unaligned batches are read and exported like its plain batch [ARR-12, ARR-14]") {
        fun read(vararg flavours: PeerStreams.Flavour): Pair<List<Any?>, Long> = Arena.ofConfined().use { arena ->
            val (batch, schema) = arena.struct(StructKind.ARRAY) to arena.struct(StructKind.SCHEMA)
            PeerStreams.batch(batch, 100, 30, flavours.toSet())
            PeerStreams.batchSchema(schema)
            CData.importArray(batch, CImport.DATA.schema(schema)).use {
                EveryType.rows(it) to EveryType.checksum(it.retain())
            }
        }
        val plain = read()
        plain.first[3] shouldBe mapOf("id" to 103L, "name" to "row-103")
        plain.first[4] shouldBe mapOf("id" to 104L, "name" to null)
        for (flavours in listOf(arrayOf(SLICED), arrayOf(UNALIGNED), arrayOf(SLICED, UNALIGNED)))
            read(*flavours) shouldBe plain
    }

    test("an imported nested array applies the offset of each struct, fixed-size list and child [ARR-11, ARR-12]") {
        // The struct (offset 1) has fixed-size lists of 2 (offset 1) of structs (offset 2) of x (offset 1). Row 0 has
        // x[3 + 2*2] and x[3 + 2*2 + 1].
        val x = Field.of("x", DataType.INT8)
        val lists = Field.of("lists", FixedSizeListType(Field.of("item", StructType(listOf(x))), 2))
        Arena.ofConfined().use { arena ->
            val out = arena.struct(StructKind.ARRAY)
            fun child(of: MemorySegment) = MemorySegment.ofAddress(RawArrowArray.child(of.address(), 0)).reinterpret(80)
            PeerNodes.array(out, length = 2, offset = 1, buffers = 1, children = 1)
            val list = child(out).also { PeerNodes.array(it, length = 3, offset = 1, buffers = 1, children = 1) }
            val struct = child(list).also { PeerNodes.array(it, length = 8, offset = 2, buffers = 1, children = 1) }
            child(struct).also {
                PeerNodes.array(it, length = 10, offset = 1, buffers = 2)
                PeerNodes.setBuffer(it, 1, ByteArray(11) { i -> i.toByte() })
            }
            CData.importBatch(out, CImport.DATA.schema(Schema.of(listOf(lists)))).use { array ->
                array.column("lists").get(0) shouldBe listOf(mapOf("x" to 7L), mapOf("x" to 8L))
                array.column("lists").get(1) shouldBe listOf(mapOf("x" to 9L), mapOf("x" to 10L))
                Arena.ofConfined().use { inner ->
                    val (again, schema) = inner.struct(StructKind.ARRAY) to inner.struct(StructKind.SCHEMA)
                    array.slice(1, 1).use { CData.exportArray(it, again, CExport.DATA.schemaTo(schema)) }
                    CData.importBatch(again, CImport.DATA.schema(schema)).use {
                        it.column("lists").getList(0).column("x").toLongArray().toList() shouldBe listOf(9L, 10L)
                    }
                }
            }
        }
    }

    test("imported lists and texts are read correctly at any offset of each level [ARR-09, ARR-12]") {
        val field = Field.of("", ListType(Field.of("item", DataType.UTF8)))
        fun ints(vararg values: Int) = ByteArray(4 * values.size) { (values[it / 4] shr 8 * (it % 4)).toByte() }
        Arena.ofConfined().use { arena ->
            val out = arena.struct(StructKind.ARRAY)
            PeerNodes.array(out, length = 2, offset = 1, buffers = 2, children = 1)
            PeerNodes.setBuffer(out, 1, ints(99, 1, 2, 4))
            val items = MemorySegment.ofAddress(RawArrowArray.child(out.address(), 0)).reinterpret(80)
            PeerNodes.array(items, length = 4, offset = 1, buffers = 3)
            PeerNodes.setBuffer(items, 1, ints(0, 1, 2, 4, 4, 7))
            PeerNodes.setBuffer(items, 2, "-abcdefg".encodeToByteArray())
            CData.importArray(out, CImport.DATA.schema(field)).use { array ->
                array.asColumn().get(0) shouldBe listOf("bc")
                array.asColumn().get(1) shouldBe listOf("", "def")
                array.asColumn().items().length() shouldBe 4
            }
        }
    }
})
