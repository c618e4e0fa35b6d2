// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.columns

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.support.struct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType
import org.arbalest.device.types.FlatType.FixedSizeBinaryType
import org.arbalest.device.types.FlatType.IntType
import org.arbalest.device.types.FlatType.LargeUtf8Type
import org.arbalest.device.types.NestedType.ListType
import org.arbalest.support.CCompiler
import org.arbalest.support.EveryType
import org.arbalest.support.PeerNodes
import org.arbalest.support.PeerNodes.Placement.GUARDED
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment

/** Reads of buffers that end at a guard page: a read of one byte too many would end this process. */
class ColumnGuardPageSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    fun guarded(
        out: MemorySegment,
        length: Int,
        nulls: Long,
        offset: Int,
        vararg buffers: ByteArray?,
        children: Long = 0,
    ) {
        PeerNodes.array(out, length.toLong(), nulls, offset.toLong(), buffers.size.toLong(), children)
        buffers.forEachIndexed { i, bytes -> PeerNodes.setBuffer(out, i.toLong(), bytes, GUARDED) }
    }

    fun offsets(vararg values: Int, width: Int = 4) =
        ByteArray(width * values.size) { (values[it / width] shr 8 * minOf(it % width, 3)).toByte() }

    fun read(type: DataType, make: (MemorySegment) -> Unit): List<Any?> = Arena.ofConfined().use { arena ->
        val out = arena.struct(StructKind.ARRAY).also(make)
        CData.importArray(out, CImport.DATA.schema(Field.of("a", type))).use { array ->
            val column = array.asColumn()
            column.nullCount()
            for (from in 0..array.length()) array.slice(from, array.length() - from).use { it.asColumn().nullCount() }
            EveryType.rows(array)
        }
    }

    val lengths = listOf(1, 3, 7, 8, 9, 63, 64, 65, 100)

    test("reads of values and bitmaps end at the last bit, at any length and offset [ARR-10]") {
        for (type in listOf(
            DataType.INT8, DataType.INT16, DataType.UINT32, DataType.INT64, DataType.FLOAT16, DataType.FLOAT64,
        )) {
            val width = ((type as? IntType)?.bits() ?: (type as FlatType.FloatType).bits()) / 8
            for (length in lengths) for (offset in listOf(0, 1, 7, 13)) {
                val end = offset + length
                val bitmap = ByteArray((end + 7) / 8) { 0x55 }
                val rows = read(type) { guarded(it, length, -1, offset, bitmap, ByteArray(width * end)) }
                rows.count { it == null } shouldBe (offset until end).count { it % 2 == 1 }
                read(type) { guarded(it, length, 0, offset, null, ByteArray(width * end)) }.size shouldBe length
            }
        }
        for (length in lengths) for (offset in listOf(0, 1, 7)) {
            val bits = ByteArray((offset + length + 7) / 8) { -1 }
            read(DataType.BOOL) { guarded(it, length, -1, offset, bits, bits) } shouldBe List(length) { true }
        }
    }

    test("reads of decimals and fixed-size binary end at the last byte [ARR-10]") {
        for (length in lengths) {
            read(DataType.decimal256(76, 0)) { guarded(it, length, 0, 2, null, ByteArray(32 * (length + 2))) }
                .size shouldBe length
            read(FixedSizeBinaryType(3)) { guarded(it, length, 0, 1, null, ByteArray(3 * (length + 1))) }
                .size shouldBe length
        }
    }

    test("reads of text and binary end at the last byte [ARR-10]") {
        val text = "abcdef".encodeToByteArray()
        for (type in listOf(DataType.UTF8, DataType.LARGE_UTF8, DataType.BINARY)) {
            val width = if (type is LargeUtf8Type) 8 else 4
            val rows = read(type) { guarded(it, 3, 0, 1, null, offsets(0, 1, 2, 2, 6, width = width), text) }
            rows.map { (it as? String) ?: String((it as List<*>).map { b -> b as Byte }.toByteArray()) } shouldBe
                listOf("b", "", "cdef")
        }
        read(DataType.UTF8) { guarded(it, 2, 0, 0, null, offsets(0, 0, 0), null) } shouldBe listOf("", "")
    }

    test("reads of lists and dictionaries end at the last byte [ARR-10]") {
        read(ListType(Field.of("item", DataType.INT32))) { out ->
            guarded(out, 2, 0, 1, null, offsets(0, 1, 1, 4), children = 1)
            val items = MemorySegment.ofAddress(RawArrowArray.child(out.address(), 0)).reinterpret(80)
            guarded(items, 4, 0, 0, null, offsets(1, 2, 3, 4))
        } shouldBe listOf(listOf<Any>(), listOf(2L, 3L, 4L))
        read(DataType.dictionary(DataType.UINT8, DataType.UTF8)) { out ->
            guarded(out, 2, 0, 0, null, byteArrayOf(1, 0))
            PeerNodes.setArrayDictionary(out)
            val values = MemorySegment.ofAddress(RawArrowArray.dictionary(out.address())).reinterpret(80)
            guarded(values, 2, 0, 0, null, offsets(0, 1, 3), "xyz".encodeToByteArray())
        } shouldBe listOf("yz", "x")
    }
})
