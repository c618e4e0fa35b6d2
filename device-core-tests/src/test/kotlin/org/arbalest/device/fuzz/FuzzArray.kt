// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.fuzz

import org.arbalest.device.DeviceArray
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.Validation
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.columns.Selection
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.support.struct
import org.arbalest.device.types.ArrowTimeUnit
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType.*
import org.arbalest.device.types.NestedType.*
import org.arbalest.support.EveryType
import org.arbalest.support.PeerMoves
import org.arbalest.support.PeerNodes
import org.arbalest.support.PeerNodes.Placement.GUARDED
import org.arbalest.support.StructKind.ARRAY
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.nio.ByteBuffer
import java.nio.ByteOrder

/**
 * Arrays of every type with buffers of the minimum size that end where readable memory ends. Their content is random:
 * offsets that decrease, indices beyond the dictionary, garbage. An import, read, slice, copy or export of such an
 * array gives the same values or is rejected.
 */
internal object FuzzArray : FuzzTarget() {
    private val fixed = listOf<DataType>(
        DataType.BOOL, DataType.INT8, DataType.UINT16, DataType.INT32, DataType.UINT64, DataType.FLOAT16,
        DataType.FLOAT32, DataType.FLOAT64, FixedSizeBinaryType(0), FixedSizeBinaryType(3), DataType.DATE32,
        DataType.DATE64, TimeType(ArrowTimeUnit.SECOND), TimestampType(ArrowTimeUnit.NANOSECOND, null),
        DurationType(ArrowTimeUnit.SECOND), DataType.decimal32(9, 2), DataType.decimal128(38, 0),
        DataType.decimal256(76, 10),
        DataType.INTERVAL_MONTH_DAY_NANO,
    )
    private val leaves = listOf<DataType>(DataType.NULL, DataType.UTF8, DataType.LARGE_UTF8, DataType.BINARY,
        DataType.LARGE_BINARY, DataType.UTF8_VIEW, DataType.BINARY_VIEW)
    private val widths = mapOf("c" to 1, "s" to 2, "i" to 4, "l" to 8)

    override fun run(input: Input) = Arena.ofConfined().use { arena ->
        val type = type(input, 0)
        val out = arena.struct(ARRAY)
        make(input, out, type, 0)
        corrupt(input, arena, out)
        val array = refusable { CData.importArray(out, CImport.DATA.schema(Field.of("a", type))) }
        check(RawArrowArray.release(out.address()) == 0L) { "the import did not release the array" }
        array?.use { look(input, it) }
        Unit
    }

    /** Runs every operation that an application can run on an array. */
    private fun look(input: Input, array: DeviceArray) {
        val whole = rows(array)
        val isSound = refusable { array.validate(Validation.FULL) } != null
        if (isSound) EveryType.rows(array)
        val from = if (array.length() == 0L) 0 else input.below((array.length().coerceAtMost(200) + 1).toInt())
        val count = input.below(8).toLong().coerceAtMost(array.length() - from)
        array.slice(from.toLong(), count).use { slice ->
            val rows = rows(slice)
            if (whole != null) check(rows == whole.subList(from, from + count.toInt())) {
                "the slice from $from has $rows, but the array has $whole"
            }
            refusable { slice.copyTo(Devices.cpu()) }?.use { copy ->
                copy.synchronize()
                check(copy.length() == count) { "a copy of $count rows has ${copy.length()} rows" }
                if (rows != null) check(rows(copy) == rows) { "the copy has ${rows(copy)}, not $rows" }
            }
            val row = input.below(8).toLong()
            reshape(slice, rows, rows?.filterIndexed { i, _ -> i % 3L != row % 3 }) {
                it.filter(Selection.where(count) { i -> i % 3 != row % 3 })
            }
            if (count > 0) reshape(slice, rows, rows?.let { listOf(it[(row % count).toInt()], it.last(), it[0]) }) {
                it.take(row % count, count - 1, 0)
            }
            reshape(slice, rows, rows?.map { mapOf("a" to it) }) {
                RecordBatch.ofColumns(listOf("x", "a"), listOf(it, it)).use { batch -> batch.select("a") }
            }
            Arena.ofConfined().use { arena ->
                val (out, schema) = arena.struct(ARRAY) to arena.allocate(72, 8)
                slice.retain().use { CData.exportArray(it, out, CExport.DATA.schemaTo(schema)) }
                CData.importArray(out, CImport.DATA.schema(schema)).use { back ->
                    if (rows != null) check(rows(back) == rows) { "the re-imported rows are ${rows(back)}, not $rows" }
                }
            }
        }
    }

    /** Makes another array, and checks its values if those of the array can be read. */
    private fun reshape(
        array: DeviceArray,
        rows: List<Any?>?,
        expected: List<Any?>?,
        make: (DeviceArray) -> DeviceArray,
    ) {
        val result = refusable { make(array) } ?: return check(rows == null) { "only the changed array is rejected" }
        result.use { if (expected != null) check(rows(it) == expected) { "the rows are ${rows(it)}, not $expected" } }
    }

    /** Returns all values, or null if reading them is rejected. */
    private fun rows(array: DeviceArray): List<Any?>? = refusable {
        array.asColumn().nullCount()
        EveryType.rows(array)
    }

    private fun type(input: Input, depth: Int): DataType {
        fun field(name: String) = Field.of(name, type(input, depth + 1))
        return when (input.below(if (depth < 3) 16 else 6)) {
            0, 1, 2 -> input.choose(fixed)
            3, 4, 5 -> input.choose(leaves)
            6 -> ListType(field("item"))
            7 -> LargeListType(field("item"))
            8 -> FixedSizeListType(field("item"), input.below(4))
            9, 10 -> StructType(List(input.below(4)) { field("f$it") })
            11 -> DictionaryType(IntType(input.choose(listOf(8, 16, 32, 64)), input.oneIn(2)), field(""), false)
            12 -> ListViewType(field("item"))
            13 -> UnionType(UnionMode.SPARSE, listOf(0, 5), listOf(field("a"), field("b")))
            14 -> UnionType(UnionMode.DENSE, listOf(0, 5), listOf(field("a"), field("b")))
            else -> RunEndEncodedType(Field.of("run_ends", IntType(input.choose(listOf(16, 32, 64)), true))
                .withNullable(false), field("values"))
        }
    }

    /** Creates an array of at least [atLeast] elements, and returns its length. */
    private fun make(input: Input, out: MemorySegment, type: DataType, atLeast: Long): Long {
        val length = atLeast + input.below(6)
        val offset = if (length == 0L && input.oneIn(4)) input.long() and Long.MAX_VALUE else input.below(11).toLong()
        val buffers = Buffers(input, if (length == 0L && offset > 10) 0 else offset + length)
        val shape = type.format()
        val list = mutableListOf<ByteArray?>()
        val children = mutableListOf<Pair<DataType, Long>>()
        if (type !is NullType && type !is UnionType && type !is RunEndEncodedType) list += buffers.validity()
        when (type) {
            is NullType, is RunEndEncodedType -> Unit
            is Utf8Type, is BinaryType -> buffers.variable(4, list)
            is LargeUtf8Type, is LargeBinaryType -> buffers.variable(8, list)
            is Utf8ViewType, is BinaryViewType -> buffers.views(list)
            is ListType ->
                list += buffers.offsets(4, input.below(5).also { children += type.item().type() to it.toLong() })
            is LargeListType ->
                list += buffers.offsets(8, input.below(5).also { children += type.item().type() to it.toLong() })
            is ListViewType -> list += listOf(buffers.some(4), buffers.some(4))
            is FixedSizeListType -> children += type.item().type() to buffers.end * type.size()
            is StructType -> type.fields().forEach { children += it.type() to buffers.end }
            is UnionType -> {
                list += buffers.some(1)
                if (type.mode() == UnionMode.DENSE) list += buffers.some(4)
                type.children().forEach {
                    children += it.type() to if (type.mode() == UnionMode.SPARSE) buffers.end else 0
                }
            }
            is BoolType -> list += input.bytes(((buffers.end + 7) / 8).toInt())
            else -> list += buffers.some(width(shape))
        }
        if (children.isEmpty()) type.children().forEach { children += it.type() to 0L }
        val nulls = if (type is NullType) length else if (list.firstOrNull() == null) input.below(2) - 1L else -1L
        PeerNodes.array(out, length, if (type is UnionType || type is RunEndEncodedType) 0 else nulls, offset,
            list.size.toLong(), children.size.toLong())
        list.forEachIndexed { i, bytes -> PeerNodes.setBuffer(out, i.toLong(), bytes, GUARDED) }
        children.forEachIndexed { i, (child, needed) ->
            make(input, at(RawArrowArray.child(out.address(), i.toLong())), child, needed)
        }
        if (type is DictionaryType) {
            PeerNodes.setArrayDictionary(out)
            make(input, at(RawArrowArray.dictionary(out.address())), type.values().type(), 0)
        }
        return length
    }

    private fun width(format: String): Int = when {
        format in widths -> widths.getValue(format)
        format.lowercase() in widths -> widths.getValue(format.lowercase())
        format.startsWith("w:") -> format.drop(2).toInt()
        format.startsWith("d:") -> (format.split(",").getOrNull(2)?.toInt() ?: 128) / 8
        else -> when (format) {
            "e" -> 2
            "f", "tdD", "tts", "ttm" -> 4
            "tin" -> 16
            else -> 8
        }
    }

    /** The buffers of an array whose offset + length is [end]. */
    private class Buffers(private val input: Input, val end: Long) {
        fun some(width: Int): ByteArray = input.bytes((end * width).toInt())

        fun validity(): ByteArray? = if (input.oneIn(2)) input.bytes(((end + 7) / 8).toInt()) else null

        /**
         * Returns offsets, the last of which is within [limit]. Most are small, and some have any value. NULL is legal
         * if there are no elements.
         */
        fun offsets(width: Int, limit: Int): ByteArray? {
            if (end == 0L && input.oneIn(2)) return null
            val buffer = ByteBuffer.allocate((end + 1).toInt() * width).order(ByteOrder.nativeOrder())
            var next = 0L
            for (i in 0..end.toInt()) {
                next = if (input.oneIn(16)) input.long() else minOf(next + input.below(3), limit.toLong())
                if (i == end.toInt()) next = minOf(next, limit.toLong())
                if (width == 4) buffer.putInt(
                    minOf(next, Int.MAX_VALUE.toLong()).toInt().let { if (i == end.toInt()) minOf(it, limit) else it },
                ) else buffer.putLong(next)
            }
            return buffer.array()
        }

        fun variable(width: Int, to: MutableList<ByteArray?>) {
            val data = input.bytes(input.below(16))
            to += offsets(width, data.size)
            to += if (input.oneIn(16)) null else data
        }

        fun views(to: MutableList<ByteArray?>) {
            to += some(16)
            val data = List(input.below(3)) { input.bytes(input.below(16)) }
            to += data
            to += ByteBuffer.allocate(8 * data.size).order(ByteOrder.nativeOrder())
                .apply { data.forEach { putLong(it.size.toLong()) } }.array()
        }
    }

    /** Makes a change that structural validation detects, or that is harmless. */
    private fun corrupt(input: Input, arena: Arena, array: MemorySegment) {
        val at = array.address()
        when (input.below(32)) {
            31 -> RawArrowArray.setLength(at, -1 - (input.long() and Long.MAX_VALUE))
            30 -> RawArrowArray.setOffset(at, -1 - (input.long() and Long.MAX_VALUE))
            29 -> RawArrowArray.setNullCount(at, input.long() and Long.MAX_VALUE)
            28 -> RawArrowArray.setNChildren(at, input.long())
            27 -> PeerNodes.nullArrayBuffers(array)
            26 -> PeerNodes.nullArrayChildren(array)
            25 -> if (RawArrowArray.nChildren(at) > 0) {
                val moved = arena.struct(ARRAY)
                PeerMoves.moveChild(array, 0, moved)
                PeerMoves.release(moved, ARRAY)
            }
            24 -> RawArrowArray.setDictionary(at, 0)
            23 -> if (RawArrowArray.dictionary(at) != 0L) RawArrowArray.setLength(RawArrowArray.dictionary(at), -5)
            else -> Unit
        }
    }

    private fun at(address: Long): MemorySegment = MemorySegment.ofAddress(address).reinterpret(RawArrowArray.SIZE)

    @JvmStatic
    fun fuzzerTestOneInput(data: ByteArray) = fuzz(data)
}
