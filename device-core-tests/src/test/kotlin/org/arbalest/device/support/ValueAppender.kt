// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.support

import org.arbalest.device.builders.ColumnBuilder
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType.DecimalType
import org.arbalest.device.types.FlatType.IntType
import org.arbalest.device.types.Interval
import org.arbalest.device.types.NestedType
import org.arbalest.device.types.NestedType.DictionaryType
import org.arbalest.device.types.NestedType.LargeListViewType
import org.arbalest.device.types.NestedType.ListViewType
import org.arbalest.device.types.NestedType.MapType
import org.arbalest.device.types.NestedType.RunEndEncodedType
import org.arbalest.device.types.NestedType.StructType
import org.arbalest.device.types.NestedType.UnionType
import java.lang.foreign.MemorySegment
import java.math.BigDecimal
import java.time.Period
import java.util.IdentityHashMap
import kotlin.random.Random

/**
 * An appender of values in the form of [RawValues]. For each value it chooses one of the builder's ways at random:
 * parts before the whole or after it, several values at once, runs, and dictionary indices. Its list-views may overlap,
 * be in any order, and leave elements out.
 */
internal class ValueAppender(private val random: Random) {
    /** The index of each value, for dictionaries that this class fills. */
    private val known = IdentityHashMap<ColumnBuilder, MutableMap<Any?, Long>>()

    /** The elements, for list-views that this class places. */
    private val placed = IdentityHashMap<ColumnBuilder, MutableList<Any?>>()

    fun appendAll(column: ColumnBuilder, field: Field, values: List<Any?>) {
        val type = field.type()
        var i = 0
        while (i < values.size) {
            val rest = values.subList(i, values.size)
            i += when {
                type is RunEndEncodedType && random.nextBoolean() -> appendRun(column, type, rest)
                type is IntType && random.nextInt(4) == 0 -> appendIntegers(column, type, rest)
                random.nextInt(4) == 0 && rest[0] == null && field.isNullable &&
                    type !is NestedType -> rest.takeWhile { it == null }.size.also { column.appendNulls(it.toLong()) }
                else -> 1.also { append(column, field, rest[0]) }
            }
        }
    }

    private fun appendRun(column: ColumnBuilder, type: RunEndEncodedType, values: List<Any?>): Int {
        val count = random.nextInt(1, values.takeWhile { it == values[0] }.size + 1)
        append(column.values(), type.values(), values[0], mayPlace = false)
        column.appendRun(count.toLong())
        return count
    }

    private fun appendIntegers(column: ColumnBuilder, type: IntType, values: List<Any?>): Int {
        val all = values.takeWhile { it != null }.map { (it as Number).toLong() }
        if (all.isEmpty()) return 1.also { column.appendNull() }
        when (if (type.signed()) type.bits() else 64) {
            8 -> column.appendAll(ByteArray(all.size) { all[it].toByte() })
            16 -> column.appendAll(ShortArray(all.size) { all[it].toShort() })
            32 -> column.appendAll(IntArray(all.size) { all[it].toInt() })
            else -> column.appendAll(all.toLongArray())
        }
        return all.size
    }

    /**
     * @param mayPlace whether this class may place list-views. It may not if the builder also appends lists by their
     * values, because the builder places them one after another.
     */
    private fun append(column: ColumnBuilder, field: Field, value: Any?, mayPlace: Boolean = true) {
        val type = field.type()
        when {
            type is DictionaryType && (value == null && !field.isNullable ||
                (value != null || whole(column, field).second.type() !is UnionType) && random.nextInt(3) == 0) -> {
                val position = known.getOrPut(column) { HashMap() }.getOrPut(value) {
                    append(column.dictionary(), type.values(), value, mayPlace = false)
                    column.dictionary().length() - 1
                }
                column.appendIndex(position)
            }
            type is RunEndEncodedType && value == null && !field.isNullable -> appendRun(column, type, listOf(value))
            value == null && type is UnionType -> throw IllegalArgumentException("a union is not nullable itself")
            value == null && type is StructType -> appendNullStruct(column, type)
            value == null -> column.appendNull()
            else -> whole(column, field).let { (parts, inner) ->
                appendValue(column, parts, inner.type(), value, mayPlace)
            }
        }
    }

    /** Returns the builder to which the parts of a value are appended, and its field. */
    private fun whole(
        column: ColumnBuilder,
        field: Field,
    ): Pair<ColumnBuilder, Field> = when (val type = field.type()) {
        is DictionaryType -> whole(column.dictionary(), type.values())
        is RunEndEncodedType -> whole(column.values(), type.values())
        else -> column to field
    }

    private fun appendNullStruct(column: ColumnBuilder, type: StructType) {
        if (random.nextBoolean() || !type.fields().all {
                it.isNullable && it.type() !is UnionType && it.type() !is RunEndEncodedType
            }) {
            column.appendNullWithParts()
        } else {
            column.appendNull()
            type.fields().forEachIndexed { i, field -> append(column.child(i), field, null) }
        }
    }

    private fun appendValue(
        column: ColumnBuilder,
        parts: ColumnBuilder,
        type: DataType,
        value: Any,
        mayPlace: Boolean,
    ) {
        when (type) {
            is StructType -> ordered(column, parts, { column.appendStruct() }) {
                type.fields().forEachIndexed { i, field ->
                    append(parts.child(i), field, (value as Map<*, *>)[field.name()])
                }
            }
            is UnionType -> (value as Tagged).let { (child, own) ->
                ordered(column, parts, { column.appendUnion(child) }) {
                    append(parts.child(child), type.fields()[child], own)
                }
            }
            is MapType -> (value as List<*>).let { entries ->
                val (key, item) = type.entries().type().children()
                ordered(column, parts, { column.appendMap(entries.size) }) {
                    appendAll(parts.keys(), key, entries.map { (it as Map.Entry<*, *>).key })
                    appendAll(parts.values(), item, entries.map { (it as Map.Entry<*, *>).value })
                }
            }
            is NestedType -> appendList(column, parts, type, value as List<*>, mayPlace && column === parts)
            else -> appendFlat(column, type, value)
        }
    }

    /** Appends the whole and the parts in a random order. If the column is encoded, the parts come first. */
    private fun ordered(column: ColumnBuilder, parts: ColumnBuilder, whole: () -> Unit, partsOf: () -> Unit) {
        val isFirst = column === parts && random.nextBoolean()
        if (isFirst) whole()
        partsOf()
        if (!isFirst) whole()
    }

    private fun appendList(
        column: ColumnBuilder,
        parts: ColumnBuilder,
        type: NestedType,
        items: List<*>,
        mayPlace: Boolean,
    ) {
        val item = type.children().single()
        val isPlaced = mayPlace && (type is ListViewType || type is LargeListViewType) &&
            (column in placed || column.length() == 0L && column.items().length() == 0L && random.nextBoolean())
        when {
            isPlaced -> appendPlaced(column, item, items)
            else -> ordered(column, parts, {
                if (column === parts && random.nextInt(4) == 0) column.appendLists(intArrayOf(items.size))
                else column.appendList(items.size)
            }) {
                appendAll(parts.items(), item, items)
            }
        }
    }

    /**
     * Appends a list-view of equal elements if they exist, or of new ones after some that no list has. The view may
     * come first.
     */
    private fun appendPlaced(column: ColumnBuilder, item: Field, items: List<*>) {
        val all = placed.getOrPut(column) { ArrayList() }
        val there = (0..all.size - items.size).filter { all.subList(it, it + items.size) == items }
        if (there.isNotEmpty() && random.nextInt(4) > 0) {
            column.appendListView(there.random(random).toLong(), items.size)
            return
        }
        val gap = if (random.nextInt(3) == 0) all.shuffled(random).take(random.nextInt(3)) else emptyList()
        val isFirst = random.nextBoolean()
        if (isFirst) column.appendListView((all.size + gap.size).toLong(), items.size)
        appendAll(column.items(), item, gap + items)
        if (!isFirst) column.appendListView((all.size + gap.size).toLong(), items.size)
        all.addAll(gap + items)
    }

    private fun appendFlat(column: ColumnBuilder, type: DataType, value: Any) {
        when (value) {
            is Boolean -> column.append(value)
            is Long -> column.append(value)
            is Double -> column.append(value)
            is BigDecimal -> if (type is DecimalType) column.append(value)
            else column.append(value.toBigIntegerExact().toLong())
            is String -> if (random.nextBoolean()) column.append(value)
            else column.append(MemorySegment.ofArray(value.encodeToByteArray()))
            is Interval -> column.append(value)
            is Period -> if (random.nextBoolean()) column.append(value) else column.append(value.toTotalMonths())
            is List<*> -> ByteArray(value.size) { value[it] as Byte }.let { bytes ->
                if (random.nextBoolean()) column.append(bytes) else column.append(MemorySegment.ofArray(bytes))
            }
            else -> error("$value is not a value of $type")
        }
    }
}
