// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.support

import org.arbalest.device.columns.Column
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType
import org.arbalest.device.types.FlatType.BoolType
import org.arbalest.device.types.FlatType.DecimalType
import org.arbalest.device.types.FlatType.IntType
import org.arbalest.device.types.FlatType.IntervalUnit
import org.arbalest.device.types.Interval
import org.arbalest.device.types.NestedType
import org.arbalest.device.types.NestedType.DictionaryType
import org.arbalest.device.types.NestedType.FixedSizeListType
import org.arbalest.device.types.NestedType.MapType
import org.arbalest.device.types.NestedType.RunEndEncodedType
import org.arbalest.device.types.NestedType.StructType
import org.arbalest.device.types.NestedType.UnionType
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.math.BigDecimal
import java.math.BigInteger
import java.time.Period
import java.util.AbstractMap.SimpleEntry

/**
 * The values that `Column.get` must return for the rows that [HandLaid] lays out. Bytes are lists, which compare by
 * content.
 */
internal object LaidValues {
    fun of(field: Field, row: Int): Any? = if (field.isNullable || isLogical(field.type())) of(field.type(), row)
    else valid(field.type(), row)

    /** Returns whether the nulls of the type are those of its children. */
    private fun isLogical(type: DataType) = type is UnionType || type is RunEndEncodedType

    fun of(type: DataType, row: Int): Any? = if (!isLogical(type) && row % 4 == 3) null else valid(type, row)

    private fun valid(type: DataType, row: Int): Any? = when (type) {
        is FlatType.NullType -> null
        is BoolType -> row % 3 == 0
        is IntType -> when {
            !type.signed() -> if (type.bits() == 64) BigDecimal(row) else row.toLong() and (1L shl type.bits()) - 1
            else -> row.toLong() shl 64 - type.bits() shr 64 - type.bits()
        }
        is FlatType.FloatType -> when (type.bits()) {
            16 -> java.lang.Float.float16ToFloat(row.toShort()).toDouble()
            32 -> Float.fromBits(row).toDouble()
            else -> Double.fromBits(row.toLong())
        }
        is DecimalType -> BigDecimal(BigInteger.valueOf(row.toLong()), type.scale())
        is FlatType.FixedSizeBinaryType -> HandLaid.number(row.toLong(), type.width()).toList()
        is FlatType.IntervalType -> when (type.unit()) {
            IntervalUnit.YEAR_MONTH -> Period.ofMonths(row)
            IntervalUnit.DAY_TIME -> Interval(0, row, 0)
            IntervalUnit.MONTH_DAY_NANO -> Interval(row, 0, 0)
        }
        is FlatType.Utf8Type, is FlatType.LargeUtf8Type, is FlatType.Utf8ViewType -> word(row)
        is FlatType.BinaryType, is FlatType.LargeBinaryType, is FlatType.BinaryViewType -> word(row)
            .encodeToByteArray().toList()
        is NestedType.ListType -> items(type.item(), row)
        is NestedType.LargeListType -> items(type.item(), row)
        is NestedType.ListViewType -> items(type.item(), row)
        is NestedType.LargeListViewType -> items(type.item(), row)
        is FixedSizeListType -> List(type.size()) { of(type.item(), 2 * row + it) }
        is MapType -> items(row).map { entry ->
            type.entries().type().children().let { (key, value) -> SimpleEntry(of(key, entry), of(value, entry + 1)) }
        }
        is StructType -> type.fields().withIndex().associate { (i, field) -> field.name() to of(field, row + i) }
        is UnionType -> of(type.fields()[row % 3], row)
        is RunEndEncodedType -> of(type.values(), row / 2)
        is DictionaryType -> of(type.values().type(), 3 * (row % 7))
        DataType.DATE64 -> 86_400_000L * row
        else -> row.toLong() // dates, times
    }

    private fun word(row: Int) = "w$row ".repeat(row % 5)

    private fun items(row: Int) = if (row % 4 == 3) emptyList() else List(row % 3) { 3 * row + it }

    private fun items(item: Field, row: Int): List<Any?> = items(row).map { of(item, it) }

    fun plain(value: Any?): Any? = when (value) {
        is ByteArray -> value.toList()
        is List<*> -> value.map(::plain)
        is Map<*, *> -> value.mapValues { plain(it.value) }
        is Map.Entry<*, *> -> SimpleEntry(plain(value.key), plain(value.value))
        else -> value
    }

    /** Reads all rows with `get`. */
    fun read(column: Column): List<Any?> = (0 until column.length()).map { plain(column.get(it)) }

    /** Reads a row with every getter that fits the type, and checks that they agree. The row must not be null. */
    fun readTyped(column: Column, row: Long): Any? = when (val type = column.field().valueType()) {
        is BoolType -> column.getBoolean(row)
        is IntType -> column.getLong(row).also { long ->
            check(column.getDecimal(row) == BigDecimal(long) && column.getDouble(row) == long.toDouble() &&
                column.getInt(row) == long.toInt())
        }.let { if (type.bits() == 64 && !type.signed()) BigDecimal(it) else it }
        is FlatType.FloatType -> column.getDouble(row)
        is DecimalType -> column.getDecimal(row).also { check(column.getDouble(row) == it.toDouble()) }
        is FlatType.IntervalType -> column.getInterval(row).let { interval ->
            if (type.unit() == IntervalUnit.YEAR_MONTH) column.getPeriod(row)
                .also { check(interval == Interval(it.months, 0, 0)) } else interval
        }
        is FlatType.Utf8Type, is FlatType.LargeUtf8Type, is FlatType.Utf8ViewType ->
            column.getString(row).also { check(column.getBytes(row).contentEquals(it.encodeToByteArray())) }
        is FlatType.BinaryType, is FlatType.LargeBinaryType, is FlatType.BinaryViewType,
        is FlatType.FixedSizeBinaryType -> column.getBytes(row).toList()
        is MapType -> read(column.getList(row)).map { entry ->
            (entry as Map<*, *>).values.toList().let { (key, value) -> SimpleEntry(key, value) }
        }
            .also { entries -> check(plain(column.getMap(row)) == entries.associate { it.key to it.value }) }
        is UnionType -> plain(column.get(row)).also { value ->
            val child = type.typeIds().indexOf(column.getTypeId(row))
            if (column.field().type() is UnionType)
                check(plain(column.column(child).get(column.getChildRow(row))) == value)
        }
        is StructType -> plain(column.get(row)).also { value ->
            if (column.field().type() is StructType) check((value as Map<*, *>).values.toList() == type.fields()
                .indices.map { plain(column.column(it).get(row)) })
        }
        else -> if (type.children().isNotEmpty()) read(column.getList(row)) else column.getLong(row)
    }

    /**
     * Overwrites the bytes under nulls, except those that belong to another value. The new bytes are invalid as a value
     * and as an offset.
     */
    fun spoil(struct: Long, type: DataType, isVisible: (Long) -> Boolean = { true }) {
        val end = RawArrowArray.offset(struct) + RawArrowArray.length(struct)
        val validity = if (isLogical(type) || type is FlatType.NullType) 0 else RawArrowArray.buffer(struct, 0)
        fun isHidden(at: Long) = !isVisible(at) ||
            (validity != 0L && bits(validity + at / 8, 1).get(JAVA_BYTE, 0).toInt() shr (at % 8).toInt() and 1 == 0)
        val widths = when (type) {
            is FlatType.Utf8ViewType, is FlatType.BinaryViewType -> listOf(16L)
            is NestedType.ListViewType -> listOf(4L, 4L)
            is NestedType.LargeListViewType -> listOf(8L, 8L)
            is DictionaryType -> listOf(type.index().bits() / 8L)
            is IntType -> listOf(type.bits() / 8L)
            is DecimalType -> listOf(type.bits() / 8L)
            is FlatType.FixedSizeBinaryType -> listOf(type.width().toLong())
            else -> emptyList()
        }
        for (at in 0 until end) {
            if (isHidden(at)) widths.forEachIndexed { i, width ->
                bits(RawArrowArray.buffer(struct, 1L + i) + at * width, width).fill(0xEE.toByte())
            }
        }
        type.children().forEachIndexed { i, field ->
            val child = RawArrowArray.child(struct, i.toLong())
            val ids = RawArrowArray.buffers(struct).let {
                if (type is UnionType) RawArrowArray.buffer(struct, 0) else 0
            }
            val before = RawArrowArray.offset(child)
            val isSparse = type is UnionType && type.mode() == NestedType.UnionMode.SPARSE
            if (type is RunEndEncodedType && i == 0) return@forEachIndexed
            spoil(child, field.type()) { at ->
                !isSparse || at < before || bits(ids + at - before, 1).get(JAVA_BYTE, 0).toInt() == type.typeIds()[i]
            }
        }
        if (type is DictionaryType) spoil(RawArrowArray.dictionary(struct), type.values().type())
    }

    private fun bits(address: Long, bytes: Long) = MemorySegment.ofAddress(address).reinterpret(bytes)
}
