// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.support

import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.Validation
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.columns.Column
import org.arbalest.device.columns.Selection
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.types.ArrowTimeUnit
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType
import org.arbalest.device.types.FlatType.BinaryType
import org.arbalest.device.types.FlatType.BinaryViewType
import org.arbalest.device.types.FlatType.DecimalType
import org.arbalest.device.types.FlatType.DurationType
import org.arbalest.device.types.FlatType.FixedSizeBinaryType
import org.arbalest.device.types.FlatType.IntType
import org.arbalest.device.types.FlatType.LargeBinaryType
import org.arbalest.device.types.FlatType.LargeUtf8Type
import org.arbalest.device.types.FlatType.NullType
import org.arbalest.device.types.FlatType.TimeType
import org.arbalest.device.types.FlatType.TimestampType
import org.arbalest.device.types.FlatType.Utf8ViewType
import org.arbalest.device.types.NestedType.DictionaryType
import org.arbalest.device.types.NestedType.FixedSizeListType
import org.arbalest.device.types.NestedType.LargeListType
import org.arbalest.device.types.NestedType.LargeListViewType
import org.arbalest.device.types.NestedType.ListType
import org.arbalest.device.types.NestedType.ListViewType
import org.arbalest.device.types.NestedType.MapType
import org.arbalest.device.types.NestedType.RunEndEncodedType
import org.arbalest.device.types.NestedType.StructType
import org.arbalest.device.types.NestedType.UnionMode
import org.arbalest.device.types.NestedType.UnionType
import org.arbalest.support.PeerNodes
import org.arbalest.support.StructKind
import java.io.RandomAccessFile
import java.lang.foreign.Arena
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED
import java.nio.channels.FileChannel
import kotlin.random.Random
import kotlin.system.exitProcess

/**
 * C structures of random types, each valid except for at most three lies. They are imported, and those that the library
 * accepts go through every operation.
 *
 * The C structures carry no sizes, so the library cannot detect some lies: a buffer shorter than length and offset
 * require, a last offset beyond the data, a wild pointer. Therefore each buffer has space for [ROOM] elements, followed
 * by a guard page. A lie either stays within this space or exceeds any possible memory, and a last offset never lies. A
 * read anywhere else kills the process.
 */
internal class Mutants(private val random: Random, private val memory: GuardedSlots) {
    /** A struct, and the parts of its buffers that may be changed. */
    private class Node(val type: DataType, val struct: Long, val length: Long, val offset: Long) {
        /** The buffers of integers: address, bytes of each integer, number of integers. */
        val integers = mutableListOf<Triple<Long, Int, Long>>()
        var offsets: Pair<Long, Int>? = null
        var sizes: Long = 0
    }

    private val nodes = mutableListOf<Node>()
    private var unbounded = false

    /**
     * Whether an offset in the middle lies. It is the last offset of a slice that ends there, and an import trusts it.
     */
    private var misleads = false

    /** Runs one mutant. Returns whether the library accepted it. */
    fun run(arena: Arena): Boolean {
        memory.reset()
        val type = type(3)
        val field = Field.of("a", type)
        val out = arena.struct(StructKind.ARRAY)
        val length = random.nextLong(0, 20)
        build(type, out.address(), length, if (random.nextInt(3) == 0) 0 else random.nextLong(0, 10))
        repeat(random.nextInt(4)) { mutate(nodes[random.nextInt(nodes.size)], arena) }
        if (System.getProperty("arbalest.mutants.show") != null) show(out.address(), type, "$")
        val array = try {
            if (random.nextBoolean()) {
                CData.importArray(out, CImport.DATA.schema(field))
            } else {
                val device = arena.struct(StructKind.DEVICE_ARRAY)
                PeerNodes.deviceArray(device, out, random.nextLong(-1, 1), deviceType = 1)
                CData.importArray(device, CImport.DEVICE.schema(field))
            }
        } catch (e: DeviceException) {
            check(e.errno() == Errno.EINVAL && !e.message.isNullOrBlank()) { "no EINVAL or no message: $e" }
            return false
        }
        array.use {
            use(it, 1)
            sound(it)
        }
        return true
    }

    private fun type(depth: Int): DataType {
        val item = { Field.of("x", type(depth - 1)) }
        val nested = listOf<() -> DataType>(
            { ListType(item()) }, { LargeListType(item()) }, { ListViewType(item()) }, { LargeListViewType(item()) },
            { FixedSizeListType(item(), random.nextInt(if (depth == 3) 4 else 2)) },
            { StructType(List(random.nextInt(4)) { item() }) },
            {
                MapType(
                    Field.of("e", StructType(listOf(Field.of("k", DataType.UTF8).withNullable(false), item()))), false,
                )
            },
            { UnionType(UnionMode.SPARSE, listOf(0, 5), listOf(item(), item())) },
            { UnionType(UnionMode.DENSE, listOf(3, 1), listOf(item(), item())) },
            {
                RunEndEncodedType(Field.of("r", IntType(listOf(16, 32, 64).random(random), true))
                    .withNullable(false), item())
            },
            { DictionaryType(IntType(listOf(8, 16, 32, 64).random(random), random.nextBoolean()), item(), false) },
        )
        return if (depth > 0 && random.nextInt(5) < 3) nested.random(random)() else leaves.random(random)
    }

    /** Builds a valid array. A child that is longer than its parent requires is valid, too. */
    private fun build(type: DataType, struct: Long, length: Long, offset: Long) {
        val node = Node(type, struct, length, offset).also(nodes::add)
        val end = length + offset
        val shape = shape(type)
        val bitmap = shape.validity && random.nextInt(3) > 0
        val out = MemorySegment.ofAddress(struct).reinterpret(RawArrowArray.SIZE)
        PeerNodes.array(out, length, if (bitmap) -1 else 0, offset, shape.buffers + 8L, type.children().size.toLong())
        RawArrowArray.setNBuffers(struct, shape.buffers.toLong())
        fun set(index: Int, address: Long) =
            PeerNodes.setForeignBuffer(out, index.toLong(), MemorySegment.ofAddress(address))
        var next = 0
        if (shape.validity)
            set(next++, if (bitmap) memory.take(ROOM / 8).also { memory.fill(it, ROOM / 8, random) } else 0)
        for (width in shape.widths) {
            val address = memory.take(width * (ROOM + 1))
            val unit = if (width == 3L) 1 else width.toInt().coerceAtMost(8)
            node.integers += Triple(address, unit, width * ROOM / unit)
            set(next++, address)
        }
        val children = LongArray(type.children().size) { 0 }
        when {
            isVariable(type) || type is ListType || type is LargeListType || type is MapType -> {
                val width = if (type is LargeUtf8Type || type is LargeBinaryType || type is LargeListType) 8 else 4
                val address = node.integers.single().first
                node.integers.clear()
                node.offsets = address to width
                var at = random.nextLong(3)
                for (i in 0..end) {
                    memory.put(address + width * i, width, at)
                    at += random.nextLong(3)
                }
                if (isVariable(type)) set(next, memory.take(ROOM, 0x7f)) else children[0] = at
            }
            type is Utf8ViewType || type is BinaryViewType -> views(node, set = ::set)
            type is ListViewType || type is LargeListViewType -> children[0] = random.nextLong(30)
            type is FixedSizeListType -> children[0] = end * type.size()
            type is StructType || (type is UnionType && type.mode() == UnionMode.SPARSE) -> children.fill(end)
            type is UnionType -> children.fill(random.nextLong(30))
            type is RunEndEncodedType -> children.fill(random.nextLong(1, 5))
            type is NullType || (type is FixedSizeBinaryType && type.width() == 0) -> {}
        }
        type.children().forEachIndexed { i, child ->
            build(child.type(), RawArrowArray.child(struct, i.toLong()), children[i] + random.nextLong(3),
                random.nextLong(5))
        }
        if (type is DictionaryType) {
            PeerNodes.setArrayDictionary(out)
            build(type.values().type(), RawArrowArray.dictionary(struct), random.nextLong(6), random.nextLong(5))
        }
    }

    private fun views(node: Node, set: (Int, Long) -> Unit) {
        val variadic = random.nextInt(3)
        for (i in 0 until variadic) set(2 + i, memory.take(ROOM, 0x7f))
        node.sizes = memory.take(8 * 8)
        for (i in 0 until variadic) memory.put(node.sizes + 8L * i, 8, random.nextLong(ROOM))
        set(2 + variadic, node.sizes)
        RawArrowArray.setNBuffers(node.struct, 3L + variadic)
    }

    private class Shape(val buffers: Int, val validity: Boolean, vararg val widths: Long)

    private fun shape(type: DataType): Shape = when (type) {
        is NullType, is RunEndEncodedType -> Shape(0, false)
        is StructType, is FixedSizeListType -> Shape(1, true)
        is UnionType -> if (type.mode() == UnionMode.SPARSE) Shape(1, false, 1) else Shape(2, false, 1, 4)
        is ListType, is MapType -> Shape(2, true, 4)
        is LargeListType -> Shape(2, true, 8)
        is ListViewType -> Shape(3, true, 4, 4)
        is LargeListViewType -> Shape(3, true, 8, 8)
        is Utf8ViewType, is BinaryViewType -> Shape(3, true, 16)
        is LargeUtf8Type, is LargeBinaryType -> Shape(3, true, 8)
        is DictionaryType -> shape(type.index())
        is IntType -> Shape(2, true, type.bits() / 8L)
        is FlatType.FloatType -> Shape(2, true, type.bits() / 8L)
        is DecimalType -> Shape(2, true, type.bits() / 8L)
        is FixedSizeBinaryType -> Shape(2, true, type.width().toLong().coerceIn(1, 16))
        else -> if (isVariable(type)) Shape(3, true, 4) else Shape(2, true, 16)
    }

    private fun isVariable(type: DataType) =
        type is LargeUtf8Type || type is LargeBinaryType || type is BinaryType || type == DataType.UTF8

    private fun mutate(node: Node, arena: Arena) {
        val struct = node.struct
        when (random.nextInt(14)) {
            0 -> if (struct !in settled) RawArrowArray.setLength(struct, lengths(node))
            1 -> if (struct !in settled) RawArrowArray.setOffset(struct, offsets(node))
            2 -> {
                settled += struct
                RawArrowArray.setLength(struct, 0)
                RawArrowArray.setOffset(struct, huge())
            }
            3 -> RawArrowArray.setNullCount(struct,
                (listOf(-2L, -1L, 0L, 1L, node.length, node.length + 1) + huge()).random(random))
            4 -> RawArrowArray.setNBuffers(struct,
                (listOf(-1L, 0L, 1L, 2L, 3L, 4L, 5L, 1L shl 31, 1L shl 61) + huge()).random(random))
            5 -> RawArrowArray.setNChildren(struct, (listOf(-1L, 0L, 1L, 2L, 3L) + huge()).random(random))
            6 -> if (random.nextInt(4) == 0) RawArrowArray.setChildren(struct, 0) else nullChild(node, arena)
            7 -> RawArrowArray.setDictionary(struct, if (random.nextBoolean()) 0 else nodes.random(random).struct)
            8 -> if (random.nextInt(4) == 0) RawArrowArray.setBuffers(struct, 0) else nullBuffer(struct)
            9, 10 -> offsetLies(node)
            11 -> if (node.sizes != 0L) memory.put(node.sizes + 8 * random.nextInt(3), 8,
                listOf(-1L, 3L, ROOM, Long.MIN_VALUE, Long.MAX_VALUE, 1L shl 60).random(random))
            else -> node.integers.randomOrNull(random)?.let { (address, width, count) ->
                memory.put(address + width * random.nextLong(minOf(count, node.offset + node.length + 1)), width,
                    (listOf(-1L, 0L, 1L, 5L, 127L) + huge()).random(random))
            }
        }
    }

    private fun show(struct: Long, type: DataType, path: String) {
        val (length, offset, nulls) =
            Triple(RawArrowArray.length(struct), RawArrowArray.offset(struct), RawArrowArray.nullCount(struct))
        println("$path: ${type.format()}, length $length, offset $offset, $nulls nulls, " +
            "${RawArrowArray.nBuffers(struct)} buffers")
        if (RawArrowArray.children(struct) == 0L) return
        type.children().forEachIndexed { i, field ->
            val child = RawArrowArray.child(struct, i.toLong())
            if (child != 0L) show(child, field.type(), "$path.$i")
        }
        if (type is DictionaryType && RawArrowArray.dictionary(struct) != 0L)
            show(RawArrowArray.dictionary(struct), type.values().type(), "$path.values")
    }

    private fun huge(): Long = when (random.nextInt(4)) {
        0 -> Long.MAX_VALUE
        1 -> Long.MAX_VALUE - random.nextLong(1000)
        2 -> (1L shl random.nextInt(32, 63)) + random.nextLong(-2, 3)
        else -> random.nextLong(Long.MAX_VALUE)
    }

    /** Returns a length that is known to be wrong, or that fits in the buffers. */
    private fun lengths(node: Node): Long = when (random.nextInt(6)) {
        0 -> listOf(-1L, Long.MIN_VALUE).random(random)
        1 -> 0
        2, 3 -> beyond(node)
        else -> random.nextLong(ROOM / 2)
    }

    private fun offsets(node: Node): Long = when (random.nextInt(4)) {
        0 -> listOf(-1L, Long.MIN_VALUE).random(random)
        1 -> beyond(node)
        else -> random.nextLong(ROOM / 2)
    }

    /** Returns more elements than any memory holds, or any number if the array has no buffer. */
    private fun beyond(node: Node): Long {
        unbounded = true
        settled += node.struct
        val hasBuffers = shape(node.type).widths.isNotEmpty() || (shape(node.type).validity &&
            RawArrowArray.buffers(node.struct).let { it == 0L || ALL.get(JAVA_LONG, it) != 0L })
        return if (hasBuffers) listOf(Long.MAX_VALUE, Long.MAX_VALUE - 7, 1L shl 62, (1L shl 60) + 1)
            .random(random) else huge()
    }

    private fun nullChild(node: Node, arena: Arena) {
        val count = node.type.children().size
        if (count == 0 || RawArrowArray.children(node.struct) == 0L) return
        val list = arena.allocate(8L * count, 8) // a new list, because the peer needs its own
        for (i in 0L until count) list.setAtIndex(JAVA_LONG, i, RawArrowArray.child(node.struct, i))
        list.setAtIndex(JAVA_LONG, random.nextInt(count).toLong(), 0)
        RawArrowArray.setChildren(node.struct, list.address())
    }

    private fun nullBuffer(struct: Long) {
        settled += struct
        val list = RawArrowArray.buffers(struct)
        if (list != 0L) ALL.set(JAVA_LONG, list + 8L * random.nextInt(4), 0)
    }

    /** Writes a wrong offset. The last offset stays right, because nothing else gives the size of the data. */
    private fun offsetLies(node: Node) {
        val (address, width) = node.offsets ?: return
        if (node.offset + node.length == 0L || RawArrowArray.length(node.struct) != node.length ||
            RawArrowArray.offset(node.struct) != node.offset) return
        val lie = listOf(-1L, Int.MIN_VALUE.toLong(), Int.MAX_VALUE.toLong(), 100L, if (width == 8) huge() else 77)
            .random(random)
        memory.put(address + width * random.nextLong(node.offset + node.length), width, lie)
        settled += node.struct
        misleads = true
    }

    /**
     * Structs whose length and offset must stay, so that an earlier lie remains known to be wrong, or remains outside
     * the array.
     */
    private val settled = mutableSetOf<Long>()

    // ---- operations on an array ----

    private fun use(array: DeviceArray, depth: Int) {
        read(array.asColumn(), 3)
        if (depth < 0) return
        val from = random.nextLong(array.length().coerceAtMost(ROOM) + 1)
        for ((start, count) in listOf(
            0L to array.length(),
            array.length() to 0L,
            from to random.nextLong((array.length() - from).coerceAtMost(ROOM) + 1),
        )) {
            array.slice(start, count).use { slice ->
                read(slice.asColumn(), 2)
                export(slice)
                copy(slice)
                reshape(slice)
                if (depth > 0) for (i in slice.field().type().children().indices) slice.retainChild(i)
                    .use { use(it, depth - 1) }
            }
        }
    }

    /** Checks that an array that passes full validation can be read, by row and in lists, without an error. */
    private fun sound(array: DeviceArray) {
        if (array.length() > ROOM) return
        try {
            array.validate(Validation.FULL)
        } catch (e: DeviceException) {
            check(e.errno() == Errno.EINVAL && !e.message.isNullOrBlank()) { "no EINVAL or no message: $e" }
            return
        }
        val column = array.asColumn()
        try {
            column.nullCount()
            if (!unbounded) for (row in 0 until column.length()) column.get(row)
        } catch (e: IllegalArgumentException) {
            if ("ask by the index" !in e.message.orEmpty()) throw e // field names may repeat
        }
    }

    private fun export(array: DeviceArray) = Arena.ofConfined().use { arena ->
        val (out, schema) = arena.struct(StructKind.ARRAY) to arena.struct(StructKind.SCHEMA)
        array.retain().use { CData.exportArray(it, out, CExport.DATA.schemaTo(schema)) }
        checkEmpty(out.address(), array.field().type())
        CData.importArray(out, CImport.DATA.schema(schema)).use { if (!misleads) read(it.asColumn(), 2) }
    }

    /** Checks ARR-19: an array without elements has offset 0. */
    private fun checkEmpty(struct: Long, type: DataType) {
        check(RawArrowArray.length(struct) != 0L || RawArrowArray.offset(struct) == 0L) {
            "an empty $type has offset ${RawArrowArray.offset(struct)}"
        }
        type.children().forEachIndexed { i, child -> checkEmpty(RawArrowArray.child(struct, i.toLong()), child.type()) }
        if (type is DictionaryType) checkEmpty(RawArrowArray.dictionary(struct), type.values().type())
    }

    private fun copy(array: DeviceArray) {
        val copy = try {
            array.copyTo(Devices.cpu())
        } catch (_: DeviceException) {
            return
        }
        copy.use {
            read(it.asColumn(), 2)
            export(it)
        }
    }

    /** Filters an array, takes rows of it, or makes it a column of a batch. */
    private fun reshape(array: DeviceArray) {
        val length = array.length()
        fun reshaped(make: () -> DeviceArray) {
            val result = try {
                make()
            } catch (e: DeviceException) {
                check(!e.message.isNullOrBlank()) { "no message: $e" }
                return
            }
            result.use {
                read(it.asColumn(), 2)
                export(it)
            }
        }
        fun batch() = RecordBatch.ofColumns(listOf("a", "b"), listOf(array, array))
        val rows = if (length == 0L) longArrayOf() else LongArray(random.nextInt(8)) { random.nextLong(length) }
        fun some() = Random(length).let { chance -> Selection.where(length) { chance.nextInt(3) > 0 } }
        when (random.nextInt(if (length > ROOM) 3 else 5)) {
            0 -> reshaped { batch().use { it.withColumn("a", array) } }
            1 -> reshaped { batch().use { it.select(1) } }
            2 -> reshaped { array.take(*rows) }
            3 -> reshaped { array.filter(some()) }
            else -> reshaped { batch().use { it.filter(some()) } }
        }
    }

    private fun read(column: Column, depth: Int) {
        val length = column.length()
        if (length <= 1000) allowed { column.nullCount() }
        val rows = if (length <= 10) (0 until length).toList() else listOf(0, 1, 7, length / 2, length - 2, length - 1)
        for (row in rows) for (getter in getters) if (!unbounded || getter !in WHOLE) allowed { getter(column, row) }
        if (length <= 1000) {
            allowed { column.toLongArray() }
            allowed { column.toDoubleArray() }
            for (view in views) allowed { view(column) }
            allowed {
                Arena.ofConfined().use { arena ->
                    column.segment(arena).let { if (it.byteSize() > 0) it.get(JAVA_BYTE, it.byteSize() - 1) }
                }
            }
        }
        for (i in 0 until column.bufferCount()) column.bufferAddress(i)
        if (depth == 0) return
        allowed { column.items().let { read(it, depth - 1) } }
        allowed { column.dictionary().let { read(it, depth - 1) } }
        allowed { column.indices().let { read(it, depth - 1) } }
        allowed {
            val runs = column.runs()
            read(runs.values(), depth - 1)
            repeat(1000) { if (runs.next()) check(runs.start() < runs.end() && runs.value() < runs.values().length()) }
        }
        if (column.field().type() is StructType || column.field().type() is UnionType)
            for (i in column.field().type().children().indices) read(column.column(i), depth - 1)
        if (rows.isNotEmpty()) allowed { read(column.getList(rows.random(random)), depth - 1) }
    }

    private inline fun allowed(action: () -> Unit) {
        try {
            action()
        } catch (_: DeviceException) {
            // the error names the fault
        } catch (_: ArithmeticException) {
            // the value does not fit an int
        } catch (e: NoSuchElementException) {
            check("is null in row" in e.message!!)
        } catch (e: IllegalArgumentException) {
            if (e.javaClass != IllegalArgumentException::class.java) throw e
        }
    }

    companion object {
        /** The number of elements for which each buffer has space. */
        const val ROOM = 256L

        private val ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE)
        private val GET: (Column, Long) -> Any? = { column, row -> column.get(row) }
        private val MAP: (Column, Long) -> Any? = { column, row -> column.getMap(row) }

        /** The getters that read a whole value, of any size. */
        private val WHOLE = listOf(GET, MAP)
        val views = listOf<(Column) -> Any?>(
            { it.asLongs().toArray(0) }, { it.asInts().toArray(0) }, { it.asShorts().toArray(0) },
            { it.asBytes().toArray(0) }, { it.asDoubles().toArray(0.0) }, { it.asFloats().toArray(0f) },
            { it.asHalfFloats().toArray() }, { it.asBooleans().cardinality() },
            { column -> column.asByteStrings().let { text -> text.forEachValid { row -> text.hash(row) } } },
        )
        val getters = listOf<(Column, Long) -> Any?>(
            { column, row -> column.isNull(row) }, { column, row -> column.getBoolean(row) },
            { column, row -> column.getInt(row) }, { column, row -> column.getLong(row) },
            { column, row -> column.getDouble(row) }, { column, row -> column.getDecimal(row) },
            { column, row -> column.getString(row) }, { column, row -> column.getBytes(row) },
            { column, row -> column.getList(row).length() }, { column, row -> column.getLocalDate(row) },
            { column, row -> column.getLocalTime(row) }, { column, row -> column.getInstant(row) },
            { column, row -> column.getLocalDateTime(row) }, { column, row -> column.getZonedDateTime(row) },
            { column, row -> column.getDuration(row) }, { column, row -> column.getPeriod(row) },
            { column, row -> column.getInterval(row) }, { column, row -> column.getTypeId(row) },
            { column, row -> column.getChildRow(row) }, GET, MAP,
        )

        private val leaves: List<DataType> = listOf(
            DataType.NULL, DataType.BOOL, DataType.INT8, DataType.UINT16, DataType.INT32, DataType.UINT64,
            DataType.FLOAT16, DataType.FLOAT32, DataType.FLOAT64, DataType.UTF8, DataType.LARGE_UTF8,
            DataType.UTF8_VIEW, DataType.BINARY, DataType.LARGE_BINARY, DataType.BINARY_VIEW, FixedSizeBinaryType(0),
            FixedSizeBinaryType(3), FixedSizeBinaryType(16), DataType.decimal32(9, 2), DataType.decimal64(18, 0),
            DataType.decimal128(38, -3), DataType.decimal256(76, 5), DataType.DATE32, DataType.DATE64,
            TimeType(ArrowTimeUnit.SECOND), TimeType(ArrowTimeUnit.NANOSECOND),
            TimestampType(ArrowTimeUnit.NANOSECOND, "UTC"), DurationType(ArrowTimeUnit.SECOND),
            DataType.INTERVAL_YEAR_MONTH,
            DataType.INTERVAL_DAY_TIME, DataType.INTERVAL_MONTH_DAY_NANO,
        )
    }
}

/** Memory in slots, each of which ends where readable memory ends. */
internal class GuardedSlots(private val count: Int) {
    private val base: Long
    private var next = 0

    init {
        val linker = Linker.nativeLinker()
        fun function(name: String, type: FunctionDescriptor) =
            linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type)
        val mmap = function(
            "mmap", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG),
        )
        val mprotect = function("mprotect", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT))
        base = mmap.invokeWithArguments(0L, count * (SLOT + PAGE), READ or WRITE, PRIVATE or ANONYMOUS, -1, 0L) as Long
        check(base != -1L) { "mmap failed" }
        for (i in 0 until count) check(mprotect.invokeWithArguments(start(i) + SLOT, PAGE, 0) as Int == 0) {
            "mprotect failed"
        }
    }

    private fun start(slot: Int) = base + slot * (SLOT + PAGE)

    fun reset() {
        next = 0
    }

    /** Returns some bytes, all with one value. */
    fun take(bytes: Long, value: Byte = 0): Long {
        check(bytes <= SLOT && next < count) { "no space for $bytes bytes in slot $next" }
        val address = start(next++) + SLOT - bytes
        MemorySegment.ofAddress(address).reinterpret(bytes).fill(value)
        return address
    }

    /** Returns a copy of some bytes. */
    fun put(bytes: ByteArray): Long = take(bytes.size.toLong()).also {
        MemorySegment.ofAddress(it).reinterpret(bytes.size.toLong()).copyFrom(MemorySegment.ofArray(bytes))
    }

    fun fill(address: Long, bytes: Long, random: Random) {
        MemorySegment.ofAddress(address).reinterpret(bytes)
            .copyFrom(MemorySegment.ofArray(random.nextBytes(bytes.toInt())))
    }

    fun put(address: Long, width: Int, value: Long) {
        val memory = MemorySegment.ofAddress(address).reinterpret(width.toLong())
        when (width) {
            8 -> memory.set(JAVA_LONG_UNALIGNED, 0, value)
            4 -> memory.set(JAVA_INT_UNALIGNED, 0, value.toInt())
            else -> memory.set(JAVA_BYTE, 0, value.toByte())
        }
    }

    private companion object {
        const val PAGE = 4096L
        const val SLOT = 3 * PAGE
        const val READ = 1
        const val WRITE = 2
        const val PRIVATE = 2
        const val ANONYMOUS = 0x20
    }
}

/**
 * Runs mutants in a separate process. The arguments are the seed, the number of mutants, and a file that always holds
 * the number of the running mutant.
 */
internal object MutantsMain {
    @JvmStatic
    fun main(arguments: Array<String>) {
        val (seed, count) = arguments.take(2).map(String::toLong)
        val before = ResourceCounters.now()
        val memory = GuardedSlots(600)
        var accepted = 0
        RandomAccessFile(arguments[2], "rw").channel.use { channel ->
            val now = channel.map(FileChannel.MapMode.READ_WRITE, 0, 8)
            for (i in seed until seed + count) {
                now.putLong(0, i)
                try {
                    if (Arena.ofConfined().use { Mutants(Random(i), memory).run(it) }) accepted++
                } catch (t: Throwable) {
                    println("mutant $i:")
                    t.printStackTrace(System.out)
                    exitProcess(1)
                }
            }
        }
        val left = ResourceCounters.now().since(before)
        println("$accepted of $count accepted")
        exitProcess(if (left.isZero) 0 else 2.also { println("left: $left") })
    }
}
