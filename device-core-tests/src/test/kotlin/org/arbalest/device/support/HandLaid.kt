// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.support

import io.kotest.matchers.shouldNotBe
import org.arbalest.device.DeviceArray
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType
import org.arbalest.device.types.FlatType.BoolType
import org.arbalest.device.types.FlatType.IntType
import org.arbalest.device.types.NestedType
import org.arbalest.device.types.NestedType.DictionaryType
import org.arbalest.device.types.NestedType.FixedSizeListType
import org.arbalest.device.types.NestedType.MapType
import org.arbalest.device.types.NestedType.RunEndEncodedType
import org.arbalest.device.types.NestedType.StructType
import org.arbalest.device.types.NestedType.UnionMode
import org.arbalest.device.types.NestedType.UnionType
import org.arbalest.device.types.PLAIN_TYPES
import org.arbalest.support.PeerMoves
import org.arbalest.support.PeerNodes
import org.arbalest.support.StructKind
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment

/**
 * Arrays of every type of the format, laid out byte by byte from the specification, without any code of the library. At
 * every level they have rows in front that a slice has left out, or none. A row number has the same value in both
 * cases.
 */
internal object HandLaid {
    private fun field(name: String, type: DataType) = Field.of(name, type)

    private val pair = StructType(listOf(field("x", DataType.INT32), field("word", DataType.UTF8)))
    private val parts = listOf(field("n", DataType.INT16), field("words", DataType.UTF8_VIEW), field("pair", pair))

    private val nested: List<DataType> = listOf(
        pair,
        MapType(field(
            "entries",
            StructType(listOf(field("key", DataType.UTF8).withNullable(false), field("value", DataType.INT32))),
        ).withNullable(false), false),
        UnionType(UnionMode.SPARSE, listOf(5, 0, 127), parts), UnionType(UnionMode.DENSE, listOf(5, 0, 127), parts),
    ) + listOf(DataType.INT32, DataType.UTF8, DataType.BOOL, DataType.BINARY_VIEW, pair).flatMap { type ->
        val item = field("item", type)
        listOf(
            NestedType.ListType(item), NestedType.LargeListType(item), NestedType.ListViewType(item),
            NestedType.LargeListViewType(item),
            FixedSizeListType(item, 2), FixedSizeListType(item, 0),
            RunEndEncodedType(field("run_ends", DataType.INT32).withNullable(false), field("values", type)),
        )
    } + listOf(16, 64).map {
        RunEndEncodedType(field("run_ends", IntType(it, true)).withNullable(false), field("values", DataType.UTF8))
    } +
        listOf(8, 16, 32, 64).flatMap { bits ->
            listOf(true, false).map { DictionaryType(IntType(bits, it), field("", DataType.UTF8), false) }
        } +
        DictionaryType(DataType.INT8, field("", pair), false) +
        NestedType.ListType(field("item", UnionType(UnionMode.DENSE, listOf(5, 0, 127), parts))) +
        FixedSizeListType(field("item", NestedType.ListViewType(field("item", DataType.UTF8))), 2)

    /** Types of every kind, in every layout. */
    val types: List<DataType> = PLAIN_TYPES.values + nested

    private fun lay(out: MemorySegment, field: Field, rows: List<Int>, skipped: Int) {
        lay(out, field.type(), rows, skipped)
        if (field.isNullable) return
        PeerNodes.setBuffer(out, 0, null) // all fields here that are not nullable have a type with a bitmap
        RawArrowArray.setNullCount(out.address(), 0)
    }

    /**
     * Fills [out], a zeroed struct, with these rows. In front of them are [skipped] more rows, which the offset leaves
     * out.
     */
    fun lay(out: MemorySegment, type: DataType, rows: List<Int>, skipped: Int) {
        val all = List(skipped) { 1000 + it } + rows
        when (type) {
            is FlatType.NullType -> begin(out, rows, skipped, buffers = 0)
            is BoolType -> withValidity(out, rows, skipped, all, bits(all) { it % 3 == 0 })
            is DictionaryType -> {
                withValidity(out, rows, skipped, all,
                    ByteArray(0).plusAll(all.map { number((it % 7).toLong(), type.index().bits() / 8) }))
                PeerNodes.setArrayDictionary(out)
                lay(at(RawArrowArray.dictionary(out.address())), type.values(), (0 until 7).map { 3 * it }, skipped)
            }
            is FlatType.Utf8Type, is FlatType.BinaryType -> variable(out, rows, skipped, all, 4)
            is FlatType.LargeUtf8Type, is FlatType.LargeBinaryType -> variable(out, rows, skipped, all, 8)
            is FlatType.Utf8ViewType, is FlatType.BinaryViewType -> views(out, rows, skipped, all)
            is NestedType.ListType -> list(out, type.item(), rows, skipped, all, 4)
            is NestedType.LargeListType -> list(out, type.item(), rows, skipped, all, 8)
            is MapType -> list(out, type.children().single(), rows, skipped, all, 4)
            is NestedType.ListViewType -> listViews(out, type.item(), rows, skipped, all, 4)
            is NestedType.LargeListViewType -> listViews(out, type.item(), rows, skipped, all, 8)
            is FixedSizeListType -> {
                withValidity(out, rows, skipped, all, children = 1)
                lay(child(out, 0), type.item(), all.flatMap { row -> List(type.size()) { 2 * row + it } }, skipped)
            }
            is StructType -> {
                withValidity(out, rows, skipped, all, children = type.fields().size.toLong())
                type.fields().forEachIndexed { i, field -> lay(child(out, i), field, all.map { it + i }, skipped) }
            }
            is UnionType -> union(out, type, rows, skipped, all)
            is RunEndEncodedType -> runs(out, type, rows, skipped, all)
            else -> withValidity(out, rows, skipped, all, ByteArray(0).plusAll(
                all.map { number(if (type == DataType.DATE64) 86_400_000L * it else it.toLong(), width(type)) },
            ))
        }
    }

    private fun width(type: DataType): Int = when (type) {
        is FlatType.FixedSizeBinaryType -> type.width()
        is IntType -> type.bits() / 8
        is FlatType.FloatType -> type.bits() / 8
        is FlatType.DecimalType -> type.bits() / 8
        is FlatType.DateType -> if (type.unit() == FlatType.DateUnit.DAY) 4 else 8
        is FlatType.TimeType -> if (type.format().last() in "sm") 4 else 8
        is FlatType.IntervalType -> mapOf('M' to 4, 'D' to 8, 'n' to 16).getValue(type.format().last())
        else -> 8
    }

    private fun at(struct: Long): MemorySegment = MemorySegment.ofAddress(struct).reinterpret(RawArrowArray.SIZE)

    private fun child(of: MemorySegment, index: Int): MemorySegment =
        at(RawArrowArray.child(of.address(), index.toLong()))

    private fun begin(
        out: MemorySegment,
        rows: List<Int>,
        skipped: Int,
        buffers: Long,
        nulls: Long = 0,
        children: Long = 0,
    ) =
        PeerNodes.array(out, rows.size.toLong(), nulls, skipped.toLong(), buffers, children)

    private fun isNull(row: Int) = row % 4 == 3

    private fun withValidity(
        out: MemorySegment,
        rows: List<Int>,
        skipped: Int,
        all: List<Int>,
        vararg data: ByteArray,
        children: Long = 0,
    ) {
        begin(out, rows, skipped, 1L + data.size, -1, children)
        PeerNodes.setBuffer(out, 0, bits(all) { !isNull(it) })
        data.forEachIndexed { i, bytes -> PeerNodes.setBuffer(out, i + 1L, bytes) }
    }

    private fun bits(all: List<Int>, isSet: (Int) -> Boolean): ByteArray {
        val bytes = ByteArray(all.size / 8 + 1)
        all.forEachIndexed { i, row -> if (isSet(row)) bytes[i / 8] = (bytes[i / 8].toInt() or (1 shl i % 8)).toByte() }
        return bytes
    }

    /** Returns a number of any width in little endian. */
    fun number(value: Long, bytes: Int) = ByteArray(bytes) { (if (it < 8) value shr 8 * it else value shr 63).toByte() }

    private fun ByteArray.plusAll(more: List<ByteArray>): ByteArray = more.fold(this, ByteArray::plus)

    private fun offsets(sizes: List<Int>, first: Int, width: Int): ByteArray =
        ByteArray(0).plusAll(sizes.runningFold(first, Int::plus).map { number(it.toLong(), width) })

    private fun word(row: Int): ByteArray = "w$row ".repeat(row % 5).encodeToByteArray()

    private fun variable(out: MemorySegment, rows: List<Int>, skipped: Int, all: List<Int>, width: Int) {
        val words = all.map { word(it) }
        val before = ByteArray(skipped) { '-'.code.toByte() }
        withValidity(out, rows, skipped, all, offsets(words.map { it.size }, skipped, width), before.plusAll(words))
    }

    /** Writes short values into the views, and long values into the second of two data buffers. */
    private fun views(out: MemorySegment, rows: List<Int>, skipped: Int, all: List<Int>) {
        var data = ByteArray(skipped)
        val views = all.map { row ->
            val word = word(row)
            if (word.size <= 12) return@map number(word.size.toLong(), 4) + word + ByteArray(12 - word.size)
            val start = data.size
            data += word
            number(word.size.toLong(), 4) + word.copyOf(4) + number(1, 4) + number(start.toLong(), 4)
        }
        val sizes = number(3, 8) + number(data.size.toLong(), 8)
        withValidity(out, rows, skipped, all, ByteArray(0).plusAll(views), ByteArray(3), data, sizes)
    }

    private fun items(row: Int): List<Int> = if (isNull(row)) emptyList() else List(row % 3) { 3 * row + it }

    private fun list(out: MemorySegment, item: Field, rows: List<Int>, skipped: Int, all: List<Int>, width: Int) {
        val before = List(skipped) { 500 + it } // items that no list refers to
        withValidity(out, rows, skipped, all, offsets(all.map { items(it).size }, before.size, width), children = 1)
        lay(child(out, 0), item, before + all.flatMap { items(it) }, skipped)
    }

    /** Writes list views whose items are in reverse order: the items of the last list come first. */
    private fun listViews(out: MemorySegment, item: Field, rows: List<Int>, skipped: Int, all: List<Int>, width: Int) {
        val places = all.reversed().runningFold(skipped) { sum, row -> sum + items(row).size }.dropLast(1).reversed()
        val offsets = ByteArray(0).plusAll(places.map { number(it.toLong(), width) })
        val sizes = ByteArray(0).plusAll(all.map { number(items(it).size.toLong(), width) })
        withValidity(out, rows, skipped, all, offsets, sizes, children = 1)
        lay(child(out, 0), item, List(skipped) { 500 + it } + all.reversed().flatMap { items(it) }, skipped)
    }

    private fun union(out: MemorySegment, type: UnionType, rows: List<Int>, skipped: Int, all: List<Int>) {
        val which = all.map { it % 3 }
        val ids = ByteArray(all.size) { type.typeIds()[which[it]].toByte() }
        val isDense = type.mode() == UnionMode.DENSE
        begin(out, rows, skipped, if (isDense) 2 else 1, children = 3)
        PeerNodes.setBuffer(out, 0, ids)
        if (isDense) {
            val places = all.indices.map { i -> (0 until i).count { which[it] == which[i] } + skipped }
            PeerNodes.setBuffer(out, 1, ByteArray(0).plusAll(places.map { number(it.toLong(), 4) }))
        }
        type.fields().forEachIndexed { i, field ->
            val own = if (isDense) List(skipped) { 700 + it } + all.filterIndexed { at, _ -> which[at] == i } else all
            lay(child(out, i), field, own, skipped)
        }
    }

    /** Writes runs in which two neighbouring rows are equal, so that runs are longer than one row. */
    private fun runs(out: MemorySegment, type: RunEndEncodedType, rows: List<Int>, skipped: Int, all: List<Int>) {
        val ends = all.indices.filter { it == all.lastIndex || all[it] / 2 != all[it + 1] / 2 }
        begin(out, rows, skipped, 0, children = 2)
        val width = (type.runEnds().type() as IntType).bits() / 8
        PeerNodes.array(child(out, 0), ends.size.toLong(), 0, 0, 2)
        PeerNodes.setBuffer(child(out, 0), 1, ByteArray(0).plusAll(ends.map { number(it + 1L, width) }))
        lay(child(out, 1), type.values(), ends.map { all[it] / 2 }, skipped)
    }

    fun laid(arena: Arena, type: DataType, rows: List<Int>, skipped: Int): MemorySegment =
        arena.struct(StructKind.ARRAY).also { lay(it, type, rows, skipped) }

    /** Lays out a record batch: a struct without nulls of its own. */
    fun laidBatch(arena: Arena, columns: StructType, rows: List<Int>, skipped: Int): MemorySegment =
        arena.struct(StructKind.ARRAY).also { lay(it, Field.of("", columns).withNullable(false), rows, skipped) }

    /** Returns the checksum that the C peer computes of an array. */
    fun read(array: MemorySegment, field: Field): Long = Arena.ofConfined().use { arena ->
        val schema = arena.struct(StructKind.SCHEMA).also { CData.exportSchema(field, it) }
        PeerNodes.checksum(array, schema).also {
            it shouldNotBe 0 // the peer could read it
            PeerMoves.release(schema, StructKind.SCHEMA)
        }
    }

    private fun checksum(array: MemorySegment, field: Field): Long = read(array, field).also {
        PeerMoves.release(array, StructKind.ARRAY)
    }

    /** Exports an array of the library, consumes it, and returns the C peer's checksum. */
    fun exported(array: DeviceArray): Long = Arena.ofConfined().use { arena ->
        val out = arena.struct(StructKind.ARRAY)
        checksum(out.also { array.use { CData.exportArray(it, out, CExport.DATA) } }, array.field())
    }

    /** Returns the C peer's checksum of these rows, laid out alone. */
    fun expected(type: DataType, rows: List<Int>): Long = Arena.ofConfined().use {
        checksum(laid(it, type, rows, 0), Field.of("", type))
    }

    /** Imports an array that is laid out natively. The caller closes it. */
    fun imported(type: DataType, rows: List<Int>, skipped: Int): DeviceArray = Arena.ofConfined().use { arena ->
        CData.importArray(laid(arena, type, rows, skipped), CImport.DATA.schema(Field.of("", type)))
    }

    fun imported(type: DataType, rows: List<Int>, skipped: Int, use: (DeviceArray) -> Unit): Unit =
        imported(type, rows, skipped).use(use)
}
