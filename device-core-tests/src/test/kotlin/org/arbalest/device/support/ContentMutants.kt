// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.support

import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.Validation
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.columns.Column
import org.arbalest.device.columns.Selection
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.types.FlatType.BinaryType
import org.arbalest.device.types.FlatType.BinaryViewType
import org.arbalest.device.types.FlatType.DateType
import org.arbalest.device.types.FlatType.DateUnit
import org.arbalest.device.types.FlatType.DecimalType
import org.arbalest.device.types.FlatType.LargeBinaryType
import org.arbalest.device.types.FlatType.LargeUtf8Type
import org.arbalest.device.types.FlatType.NullType
import org.arbalest.device.types.FlatType.TimeType
import org.arbalest.device.types.FlatType.Utf8Type
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
import org.arbalest.support.StructKind
import java.io.RandomAccessFile
import java.lang.foreign.Arena
import java.math.BigInteger
import java.nio.channels.FileChannel
import kotlin.random.Random
import kotlin.system.exitProcess

/**
 * Arrays that are valid except for one change of a buffer or a null count. For each change it is known whether it is a
 * lie (makes the array invalid), and where. Full validation rejects a lie, with its path and row. It accepts every
 * other array, which can then be read, sliced, copied and exported like a valid one. Without full validation, an
 * operation that meets the lie throws. The buffers end where readable memory ends, so a read beyond a buffer kills the
 * process.
 */
internal class ContentMutants(private val random: Random, private val memory: GuardedSlots) {
    /** The place of a lie: an array, by its path, and a row of it, or −1 for the array as a whole. */
    private data class Lie(val path: String, val row: Int)

    /** An array and its visible range. [parent] is set if an element's position alone determines its parent's row. */
    private inner class Node(
        val array: RawArray,
        val path: String,
        val start: Int,
        val count: Int,
        val parent: Node?,
        val index: Int,
        val mayBeNull: Boolean,
    ) {
        val type = array.type
        val bitmap get() = if (hasValidity(this)) array.buffers[0] else null
        val width = if (type is LargeUtf8Type || type is LargeBinaryType || type is LargeListType ||
            type is LargeListViewType) 8 else 4

        fun isNull(row: Int): Boolean = array.nullCount != 0L && bitmap?.bit(start + row) == false

        fun isHidden(row: Int): Boolean = when {
            parent == null -> false
            parent.type is FixedSizeListType -> (row / parent.type.size()).let {
                parent.isNull(it) || parent.isHidden(it)
            }
            parent.type is UnionType -> parent.array.buffers[0]!!.get(parent.start + row)
                .toInt() != parent.type.typeIds()[index] || parent.isHidden(row)
            else -> parent.isNull(row) || parent.isHidden(row)
        }

        fun lie(row: Int) = Lie(path, row)
        fun valid(): Int? = (0 until count).filterNot(::isNull).randomOrNull(random)
        fun anyRow(): Int? = (0 until count).toList().randomOrNull(random)
    }

    private fun hasValidity(node: Node) = node.type !is NullType && node.type !is UnionType &&
        node.type !is RunEndEncodedType

    private fun collect(node: Node, all: MutableList<Node>) {
        all += node
        val array = node.array
        array.children.forEachIndexed { i, child ->
            val path = "${node.path}.${child.field.name()}"
            val each = when (val type = node.type) {
                is StructType -> 1
                is UnionType -> if (type.mode() == UnionMode.SPARSE) 1 else -1
                is FixedSizeListType -> type.size()
                else -> -1
            }
            val mayBeNull = child.field.isNullable && node.type !is MapType
            if (each < 0) {
                collect(Node(child, path, child.offset, child.length, null, i, mayBeNull), all)
            } else {
                collect(
                    Node(child, path, child.offset + node.start * each, node.count * each, node, i, mayBeNull), all,
                )
            }
        }
        array.dictionary?.let {
            collect(Node(it, "${node.path}.(dictionary)", it.offset, it.length, null, 0, true), all)
        }
    }

    /** Runs one mutant. Returns whether it is a lie. */
    fun run(): Boolean {
        memory.reset()
        val array = SoundArrays(random).array()
        val all = mutableListOf<Node>().also {
            collect(Node(array, "$", array.offset, array.length, null, 0, array.field.isNullable), it)
        }
        var lie: Lie? = null
        var what = "nothing"
        if (random.nextInt(8) > 0) {
            for (attempt in 0 until 20) {
                val (name, mutation) = mutations.entries.random(random)
                val found = mutation(all.random(random)) ?: continue
                lie = found.takeIf { it !== LEGAL }
                what = name
                break
            }
        }
        if (System.getProperty("arbalest.mutants.show") != null) println("${array.field}: $what, $lie")
        for (level in Validation.entries) Arena.ofConfined().use { arena -> check(array, arena, level, what, lie) }
        return lie != null
    }

    private fun check(raw: RawArray, arena: Arena, level: Validation, what: String, lie: Lie?) {
        val out = arena.struct(StructKind.ARRAY).also { raw.lay(it, memory::put) }
        val array = try {
            CData.importArray(out, CImport.DATA.schema(raw.field).validation(level))
        } catch (e: DeviceException) {
            val isDue = level == Validation.FULL || (level == Validation.BOUNDS && !isAboutValue(e))
            check(isDue && lie != null) { "${raw.field}: $what was rejected with $level: $e" }
            val begin = (if (lie.path == "$") "" else "${lie.path}: ") + if (lie.row < 0) "" else "row ${lie.row}: "
            check(e.message!!.startsWith(begin)) {
                "${raw.field}: the error of $what must begin with '$begin', but it is: ${e.message}"
            }
            return
        }
        array.use {
            if (level == Validation.FULL) {
                check(lie == null) { "${raw.field}: full validation accepted $what at $lie" }
                sound(it)
            } else {
                val fault = runCatching { it.validate(Validation.FULL) }.exceptionOrNull()
                if (fault != null && fault !is DeviceException) throw fault
                check((fault == null) == (lie == null)) { "${raw.field}: $what at $lie: full validation: $fault" }
                check(level != Validation.BOUNDS || fault == null || isAboutValue(fault)) {
                    "${raw.field}: $what at $lie was accepted with $level: $fault"
                }
                it.slice(0, it.length()).use { whole -> read(whole.asColumn(), ::allowed) }
                random.nextLong(it.length() + 1).let { from -> it.slice(from, random.nextLong(it.length() - from + 1)) }
                    .use { slice -> read(slice.asColumn(), ::allowed) }
                allowed { it.copyTo(Devices.cpu()).use { copy -> read(copy.asColumn(), ::allowed) } }
                allowed { converted(it).use { other -> read(other.asColumn(), ::allowed) } }
                allowed { it.compact().use { small -> read(small.asColumn(), ::allowed) } }
                for (reshaped in reshapings(it))
                    allowed { reshaped().use { other -> read(other.asColumn(), ::allowed) } }
            }
        }
    }

    /**
     * Checks that an array that passed full validation can be read without an exception, and so can its slices, its
     * copies and its export.
     */
    private fun sound(array: DeviceArray) {
        read(array.asColumn())
        val from = random.nextLong(array.length() + 1)
        array.slice(from, random.nextLong(array.length() - from + 1)).use { slice ->
            slice.validate(Validation.FULL)
            read(slice.asColumn())
            for (whole in listOf(array, slice)) {
                whole.copyTo(Devices.cpu()).use {
                    it.validate(Validation.FULL)
                    read(it.asColumn())
                }
                whole.compact().use {
                    it.validate(Validation.FULL)
                    check(it.difference(whole) == null) { "compact() changed the values: ${it.difference(whole)}" }
                }
                try {
                    converted(whole).use { it.validate(Validation.FULL) }
                } catch (e: DeviceException) {
                    check(OtherLayouts.mayRefuse(e)) { "${whole.field()}: convertTo() failed: $e" }
                }
                Arena.ofConfined().use { arena ->
                    val (out, schema) = arena.struct(StructKind.ARRAY) to arena.struct(StructKind.SCHEMA)
                    whole.retain().use { CData.exportArray(it, out, CExport.DATA.schemaTo(schema)) }
                    CData.importArray(out, CImport.DATA.schema(schema).validation(Validation.FULL))
                        .use { read(it.asColumn()) }
                }
            }
            DeviceArray.concat(listOf(slice, array)).use { it.validate(Validation.FULL) }
            for (whole in listOf(array, slice)) for (reshaped in reshapings(whole)) reshaped().use {
                it.validate(Validation.FULL)
                read(it.asColumn())
            }
        }
        val type = array.field().type()
        if (type !is FixedSizeListType) for (i in type.children().indices) array.retainChild(i).use(::soundAlone)
    }

    /** Returns two of: filters, taken rows, and batches with the array as a column, which may be filtered, too. */
    private fun reshapings(array: DeviceArray): List<() -> DeviceArray> {
        val length = array.length()
        val flags = List(length.toInt()) { random.nextInt(3) > 0 }
        val rows = if (length == 0L) longArrayOf() else LongArray(random.nextInt(8)) { random.nextLong(length) }
        val selection = Selection.where(length) { flags[it.toInt()] }
        val from = random.nextLong(length + 1)
        val count = random.nextLong(length - from + 1)
        fun batch() = array.slice(from, count).use { RecordBatch.ofColumns(listOf("a", "b"), listOf(it, it)) }
        return listOf<() -> DeviceArray>(
            { array.filter(selection) },
            { array.take(*rows) },
            { batch().use { array.slice(length - count, count).use { last -> it.withColumn("c", last) } } },
            { batch().use { it.select("b") } },
            { batch().use { it.filter(Selection.where(count) { row -> row % 3 != 1L }) } },
            { RecordBatch.ofColumns(listOf("a"), listOf(array)).use { it.take(*rows) } },
        ).shuffled(random).take(2)
    }

    /** Converts the array to another layout, or to the same. */
    private fun converted(array: DeviceArray): DeviceArray =
        array.convertTo(
            array.field().withType((OtherLayouts.of(array.field().type()) + array.field().type()).random(random)),
        )

    /** Checks a child without its parent, which hid the nulls of a child whose field is not nullable. */
    private fun soundAlone(child: DeviceArray) {
        try {
            child.validate(Validation.FULL)
        } catch (e: DeviceException) {
            check(e.message!!.endsWith("null, but the field is not nullable")) { "the child was rejected: $e" }
        }
        read(child.asColumn())
    }

    private fun read(column: Column, attempt: (() -> Unit) -> Any = { it() }) {
        attempt { column.nullCount() }
        for (row in 0 until column.length()) {
            attempt { column.get(row) }
            for (getter in Mutants.getters) attempt { fitting { getter(column, row) } }
        }
        for (view in Mutants.views) attempt { fitting { view(column) } }
        attempt { fitting { column.toLongArray(0) } }
        attempt { fitting { column.toDoubleArray(0.0) } }
        attempt { column.toString() }
    }

    /**
     * Runs a read, and ignores the exceptions of a getter that does not fit the type or the value. They are no fault of
     * the array.
     */
    private fun fitting(read: () -> Unit) {
        try {
            read()
        } catch (_: ArithmeticException) {
            // Java has no such value
        } catch (_: NoSuchElementException) {
            // the value is null
        } catch (e: IllegalArgumentException) {
            if (e.javaClass != IllegalArgumentException::class.java) throw e
        }
    }

    private fun allowed(action: () -> Unit): Boolean = try {
        action()
        true
    } catch (_: DeviceException) {
        false
    }

    // ---- the mutations; each returns null if it does not apply to the node ----

    private val mutations: Map<String, (Node) -> Lie?> = mapOf(
        "a false null count" to ::falseCount,
        "an unknown null count" to { node ->
            LEGAL.takeIf { hasValidity(node) }?.also { if (node.bitmap != null) node.array.nullCount = -1 }
        },
        "a null count of a type without nulls" to { node ->
            if ((node.type is UnionType || node.type is RunEndEncodedType) && node.array.length > 0) node.lie(-1)
                .also { node.array.nullCount = 1 } else null
        },
        "one more null" to ::oneNullMore,
        "garbage under a null" to { node ->
            (0 until node.count).filter(node::isNull).randomOrNull(random)?.let { garbage(node, node.start + it) }
        },
        "garbage before the visible range" to { node ->
            if (node.start == 0) null else garbage(node, random.nextInt(node.start))
        },
        "a negative offset" to { node ->
            offsets(node)?.let { offsets ->
                val at = random.nextInt(node.count + 1)
                offsets.setInteger(node.width, node.start + at, -1 - random.nextLong(1000))
                node.lie((at - 1).coerceAtLeast(0))
            }
        },
        "an offset that decreases" to { node ->
            offsets(node)?.let { offsets ->
                val at = random.nextInt(node.count)
                offsets.setInteger(node.width, node.start + at,
                    offsets.integer(node.width, node.start + at + 1) + 1 + random.nextLong(1000))
                node.lie(at)
            }
        },
        "an offset beyond the data" to ::offsetBeyond,
        "a byte that is not valid UTF-8" to ::wrongByte,
        "a character cut in two" to ::cutCharacter,
        "a wrong view" to ::wrongView,
        "a list view beyond its items" to ::wrongListView,
        "a wrong value" to ::wrongValue,
        "an unknown type id of a union" to { node ->
            if (node.type !is UnionType) null else node.anyRow()?.let { row ->
                node.array.buffers[0]!!.put(node.start + row, listOf(1, -1, 4, -128).random(random).toByte())
                node.lie(row)
            }
        },
        "a wrong offset of a union" to ::wrongUnion,
        "wrong runs" to ::wrongRuns,
    )

    private fun falseCount(node: Node): Lie? {
        val bitmap = node.bitmap ?: return null
        val nulls = (node.array.offset until node.array.end).count { !bitmap.bit(it) }.toLong()
        val said = listOf(nulls - 1, nulls + 1, 0, node.array.length.toLong())
            .filter { it in 0..node.array.length && it != nulls }.randomOrNull(random) ?: return null
        node.array.nullCount = said
        return node.lie(-1)
    }

    private fun oneNullMore(node: Node): Lie? {
        val bitmap = node.bitmap ?: return null
        val row = (0 until node.count).filter { bitmap.bit(node.start + it) }.randomOrNull(random) ?: return null
        bitmap.setBit(node.start + row, false)
        node.array.nullCount = -1
        if (node.mayBeNull) return LEGAL
        val first = (0 until node.count).firstOrNull { !bitmap.bit(node.start + it) && !node.isHidden(it) }
        return if (first == null) LEGAL else node.lie(first)
    }

    /** Writes random bytes into an element whose bytes may have any value. */
    private fun garbage(node: Node, element: Int): Lie? {
        val array = node.array
        val isNull = element >= node.start
        when (node.type) {
            is Utf8Type, is LargeUtf8Type, is BinaryType, is LargeBinaryType -> {
                val offsets = array.buffers[1]!!
                if (!isNull) return null // a copy starts at a byte of the bitmap, so it may include this element
                val (first, last) = offsets.integer(node.width, element)
                    .toInt() to offsets.integer(node.width, element + 1).toInt()
                for (i in first until last) array.buffers[2]!!.put(i, random.nextInt().toByte())
            }
            is ListType, is LargeListType, is MapType -> return null
            is ListViewType, is LargeListViewType -> if (isNull) return null
            else for (i in 1..2) array.buffers[i]!!.setInteger(node.width, element, random.nextLong())
            is Utf8ViewType, is BinaryViewType -> for (i in 0 until 16) array.buffers[1]!!
                .put(16 * element + i, random.nextInt().toByte())
            is UnionType -> array.buffers[0]!!.put(element, random.nextInt().toByte())
            is NullType, is StructType, is FixedSizeListType, is RunEndEncodedType -> return null
            else -> if (node.type.format() != "b") SoundArrays.width(node.type).let { width ->
                for (i in 0 until width) array.buffers[1]!!.put(width * element + i, random.nextInt().toByte())
            }
        }
        return LEGAL
    }

    private fun offsets(node: Node) = node.array.buffers.getOrNull(1)?.takeIf { node.count > 0 && isOffsets(node) }

    private fun isText(node: Node) = node.type is Utf8Type || node.type is LargeUtf8Type

    private fun isList(node: Node) = node.type is ListType || node.type is LargeListType || node.type is MapType

    private fun isOffsets(node: Node) = isText(node) || isList(node) || node.type is BinaryType ||
        node.type is LargeBinaryType

    /**
     * Sets the last offset beyond the elements. If only the array's own last offset gives the number of elements, this
     * needs a part of the array, and sets the part's last offset beyond the array's.
     */
    private fun offsetBeyond(node: Node): Lie? {
        val offsets = offsets(node) ?: return null
        val last = node.start + node.count
        val most = when {
            isList(node) -> node.array.children[0].length.toLong()
            last == node.array.end -> return null
            else -> offsets.integer(node.width, node.array.end)
        }
        offsets.setInteger(node.width, last, most + 1 + random.nextLong(1000))
        return node.lie(node.count - 1)
    }

    private fun range(node: Node, row: Int): IntRange {
        val offsets = node.array.buffers[1]!!
        return offsets.integer(node.width, node.start + row)
            .toInt() until offsets.integer(node.width, node.start + row + 1).toInt()
    }

    private fun wrongByte(node: Node): Lie? {
        if (!isText(node)) return null
        val row = node.valid()?.takeUnless { range(node, it).isEmpty() } ?: return null
        node.array.buffers[2]!!
            .put(range(node, row).random(random), listOf(0xFF, 0xC0, 0xF5, 0xFE).random(random).toByte())
        return node.lie(row)
    }

    private fun cutCharacter(node: Node): Lie? {
        if (!isText(node)) return null
        val row = node.valid()?.takeIf { it < node.count - 1 } ?: return null
        val last = range(node, row).lastOrNull()?.takeIf { node.array.buffers[2]!!.get(it) < 0 } ?: return null
        node.array.buffers[1]!!.setInteger(node.width, node.start + row + 1, last.toLong())
        return node.lie(row)
    }

    private fun wrongView(node: Node): Lie? {
        if (node.type !is Utf8ViewType && node.type !is BinaryViewType) return null
        val row = node.valid() ?: return null
        val view = node.array.buffers[1]!!
        val at = 16 * (node.start + row)
        val size = view.getInt(at)
        if (random.nextInt(5) == 0) {
            view.putInt(at, -random.nextInt(1, 100))
        } else if (size < 12) {
            view.put(at + 4 + random.nextInt(size, 12), 1)
        } else if (size == 12) {
            view.putInt(at, 13).putInt(at + 8, 77)
        } else {
            val index = view.getInt(at + 8)
            when (random.nextInt(6)) {
                0 -> view.putInt(at + 8, listOf(-1, node.array.buffers.size - 3, Int.MAX_VALUE).random(random))
                1 -> view.putInt(
                    at + 12,
                    listOf(-1, Int.MAX_VALUE, node.array.buffers[2 + index]!!.capacity() - size + 1).random(random),
                )
                2 -> view.putInt(at, Int.MAX_VALUE)
                3 -> view.putInt(at + 4, view.getInt(at + 4) + 1)
                // may also affect an earlier view
                4 -> node.array.buffers.last()!!.putLong(8 * index, view.getInt(at + 12) + size - 1L)
                else -> {
                    node.array.buffers[2 + index]!!.put(view.getInt(at + 12) + random.nextInt(4, size), 0xFF.toByte())
                    return if (node.type is Utf8ViewType) node.lie(row) else LEGAL
                }
            }
            return if (view.getInt(at) == size && view.getInt(at + 8) == index) firstBeyond(node, row)
            else node.lie(row)
        }
        return node.lie(row)
    }

    /** Returns the lie at the first row whose view exceeds its buffer, or else at [row]. */
    private fun firstBeyond(node: Node, row: Int): Lie {
        val (view, sizes) = node.array.buffers[1]!! to node.array.buffers.last()!!
        val first = (0 until row).firstOrNull {
            val at = 16 * (node.start + it)
            !node.isNull(it) && view.getInt(at) > 12 &&
                view.getInt(at + 12) + view.getInt(at) > sizes.getLong(8 * view.getInt(at + 8))
        }
        return node.lie(first ?: row)
    }

    private fun wrongListView(node: Node): Lie? {
        if (node.type !is ListViewType && node.type !is LargeListViewType) return null
        val row = node.anyRow() ?: return null
        val (offsets, sizes) = node.array.buffers[1]!! to node.array.buffers[2]!!
        val known = node.array.children[0].length.toLong()
        val at = node.start + row
        when (random.nextInt(4)) {
            0 -> offsets.setInteger(node.width, at, -1)
            1 -> offsets.setInteger(node.width, at,
                listOf(known + 1, if (node.width == 4) Int.MAX_VALUE.toLong() else Long.MAX_VALUE).random(random))
            2 -> sizes.setInteger(node.width, at, -1)
            else -> sizes.setInteger(node.width, at, listOf(known - offsets.integer(node.width, at) + 1,
                if (node.width == 4) Int.MAX_VALUE.toLong() else Long.MAX_VALUE).random(random))
        }
        return node.lie(row)
    }

    private fun wrongValue(node: Node): Lie? {
        val type = node.type
        val width = SoundArrays.width(type)
        val row = node.valid() ?: return null
        val at = node.start + row
        when (type) {
            is TimeType -> node.array.buffers[1]!!
                .setInteger(width, at, listOf(-1L, SoundArrays.day(type)).random(random))
            is DateType -> {
                if (type.unit() == DateUnit.DAY) return null
                node.array.buffers[1]!!
                    .setInteger(8, at, listOf(1L, -1L, 86_400_001L, Long.MAX_VALUE, Long.MIN_VALUE).random(random))
            }
            is DecimalType -> {
                val least = SoundArrays.most(type) + BigInteger.ONE
                val most = BigInteger.TWO.pow(type.bits() - 1) - BigInteger.ONE
                SoundArrays.decimal(node.array.buffers[1]!!, width, at,
                    listOf(least, least.negate(), most, most.not()).random(random))
            }
            is DictionaryType -> node.array.buffers[1]!!.setInteger(width, at, listOf(-1L,
                node.array.dictionary!!.length.toLong(), if (width == 8) Long.MIN_VALUE else 127).random(random))
            else -> return null
        }
        return node.lie(row)
    }

    private fun wrongUnion(node: Node): Lie? {
        val type = node.type
        if (type !is UnionType || type.mode() == UnionMode.SPARSE) return null
        val row = node.anyRow() ?: return null
        val (ids, offsets) = node.array.buffers[0]!! to node.array.buffers[1]!!
        val id = ids.get(node.start + row)
        val child = type.typeIds().indexOf(id.toInt())
        val before = (0 until row).lastOrNull { ids.get(node.start + it) == id }
        val wrong = mutableListOf(-1, node.array.children[child].length, Int.MAX_VALUE)
        if (before != null) wrong += offsets.getInt(4 * (node.start + before)) - 1
        offsets.putInt(4 * (node.start + row), wrong.random(random))
        return node.lie(row)
    }

    private fun wrongRuns(node: Node): Lie? {
        if (node.type !is RunEndEncodedType || node.count == 0) return null
        val runEnds = node.array.children[0]
        val width = SoundArrays.width(runEnds.type)
        val ends = runEnds.buffers[1]!!
        fun end(run: Int) = if (run < 0) 0 else ends.integer(width, runEnds.offset + run)
        val last = runEnds.length - 1
        when (random.nextInt(4)) {
            0 -> random.nextInt(runEnds.length).let {
                ends.setInteger(width, runEnds.offset + it, end(it - 1) - random.nextInt(3))
            }
            1 -> {
                if (end(last - 1) >= node.start + node.count - 1) return null
                ends.setInteger(width, runEnds.offset + last, node.start + node.count - 1L)
                return node.lie((node.count - 1))
            }
            2 -> return LEGAL.also { ends.setInteger(width, runEnds.offset + last, end(last) + 1000) }
            else -> return if (runEnds.offset == 0) null
            else LEGAL.also { ends.setInteger(width, random.nextInt(runEnds.offset), random.nextLong()) }
        }
        return node.lie(-1)
    }

    private companion object {
        val LEGAL = Lie("", -1)
    }
}

/** Runs mutants in a separate process; see [MutantsMain]. */
internal object ContentMutantsMain {
    @JvmStatic
    fun main(arguments: Array<String>) {
        val (seed, count) = arguments.take(2).map(String::toLong)
        val before = ResourceCounters.now()
        val memory = GuardedSlots(1000)
        var lies = 0
        RandomAccessFile(arguments[2], "rw").channel.use { channel ->
            val now = channel.map(FileChannel.MapMode.READ_WRITE, 0, 8)
            for (i in seed until seed + count) {
                now.putLong(0, i)
                try {
                    if (ContentMutants(Random(i), memory).run()) lies++
                } catch (t: Throwable) {
                    println("mutant $i:")
                    t.printStackTrace(System.out)
                    exitProcess(1)
                }
            }
        }
        val left = ResourceCounters.now().since(before)
        println("$lies of $count were lies")
        exitProcess(if (left.isZero) 0 else 2.also { println("left: $left") })
    }
}
