// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.support

import org.arbalest.device.types.DataType
import org.arbalest.device.types.FlatType.BinaryType
import org.arbalest.device.types.FlatType.BinaryViewType
import org.arbalest.device.types.FlatType.BoolType
import org.arbalest.device.types.FlatType.DecimalType
import org.arbalest.device.types.FlatType.FixedSizeBinaryType
import org.arbalest.device.types.FlatType.FloatType
import org.arbalest.device.types.FlatType.IntType
import org.arbalest.device.types.FlatType.IntervalType
import org.arbalest.device.types.FlatType.IntervalUnit
import org.arbalest.device.types.FlatType.LargeBinaryType
import org.arbalest.device.types.FlatType.LargeUtf8Type
import org.arbalest.device.types.FlatType.NullType
import org.arbalest.device.types.FlatType.Utf8Type
import org.arbalest.device.types.FlatType.Utf8ViewType
import org.arbalest.device.types.Interval
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
import java.math.BigDecimal
import java.math.BigInteger
import java.time.Period
import java.util.AbstractMap.SimpleEntry

/** A union's value, and the index of the child that has it. */
internal data class Tagged(val child: Int, val value: Any?)

/**
 * The values in an array's bytes, decoded from the specification without the library's code. Every way to read the
 * array must return them. They have the form of `Column.get`, except that bytes are lists, which compare by content,
 * and that a union's value is [Tagged].
 */
internal object RawValues {
    fun of(raw: RawArray): List<Any?> = List(raw.length) { at(raw, raw.offset + it) }

    /** Returns the value in the form of `Column.get`, without the children of unions. */
    fun untagged(value: Any?): Any? = when (value) {
        is Tagged -> untagged(value.value)
        is List<*> -> value.map(::untagged)
        is Map<*, *> -> value.mapValues { untagged(it.value) }
        is Map.Entry<*, *> -> SimpleEntry(untagged(value.key), untagged(value.value))
        else -> value
    }

    fun isNull(value: Any?): Boolean = value == null || value is Tagged && isNull(value.value)

    /** Returns the value of an element, counted from the start of the buffers. */
    fun at(raw: RawArray, i: Int): Any? {
        val type = raw.type
        return when {
            type is UnionType -> union(raw, type, i)
            type is RunEndEncodedType -> run(raw, i)
            type is NullType || raw.buffers[0]?.bit(i) == false -> null
            else -> valid(raw, type, i)
        }
    }

    private fun valid(raw: RawArray, type: DataType, i: Int): Any? = when (type) {
        is StructType -> type.fields().indices.associate { type.fields()[it].name() to element(raw.children[it], i) }
        is FixedSizeListType -> List(type.size()) { element(raw.children[0], type.size() * i + it) }
        is ListType -> elements(raw, integer(raw, 4, i), integer(raw, 4, i + 1))
        is LargeListType -> elements(raw, integer(raw, 8, i), integer(raw, 8, i + 1))
        is ListViewType ->
            elements(raw, integer(raw, 4, i), integer(raw, 4, i) + raw.buffers[2]!!.integer(4, i).toInt())
        is LargeListViewType ->
            elements(raw, integer(raw, 8, i), integer(raw, 8, i) + raw.buffers[2]!!.integer(8, i).toInt())
        is MapType -> elements(raw, integer(raw, 4, i), integer(raw, 4, i + 1)).map { entry ->
            (entry as Map<*, *>).values.toList().let { (key, value) -> SimpleEntry(key, value) }
        }
        is DictionaryType -> element(raw.dictionary!!, integer(raw, type.index().bits() / 8, i))
        is Utf8Type -> variable(raw, 4, i).decodeToString()
        is LargeUtf8Type -> variable(raw, 8, i).decodeToString()
        is Utf8ViewType -> view(raw, i).decodeToString()
        is BinaryType -> variable(raw, 4, i).toList()
        is LargeBinaryType -> variable(raw, 8, i).toList()
        is BinaryViewType -> view(raw, i).toList()
        else -> fixed(raw, type, i)
    }

    private fun fixed(raw: RawArray, type: DataType, i: Int): Any {
        val values = raw.buffers[1]!!
        val width = SoundArrays.width(type)
        return when (type) {
            is BoolType -> values.bit(i)
            is IntType -> if (type.signed()) values.integer(width, i)
            else unsigned(values.integer(width, i), type.bits())
            is FloatType -> when (width) {
                2 -> java.lang.Float.float16ToFloat(values.getShort(2 * i)).toDouble()
                4 -> values.getFloat(4 * i).toDouble()
                else -> values.getDouble(8 * i)
            }
            is DecimalType -> BigDecimal(BigInteger(bytes(raw, width, i).reversedArray()), type.scale())
            is FixedSizeBinaryType -> bytes(raw, width, i).toList()
            is IntervalType -> when (type.unit()) {
                IntervalUnit.YEAR_MONTH -> Period.ofMonths(values.getInt(4 * i))
                IntervalUnit.DAY_TIME -> Interval(0, values.getInt(8 * i), values.getInt(8 * i + 4) * 1_000_000L)
                IntervalUnit.MONTH_DAY_NANO ->
                    Interval(values.getInt(16 * i), values.getInt(16 * i + 4), values.getLong(16 * i + 8))
            }
            else -> values.integer(width, i) // dates, times
        }
    }

    /** Returns an unsigned integer in the form of `Column.get`. */
    fun unsigned(bits: Long, count: Int): Any = if (count < 64) bits and (1L shl count) - 1
    else BigDecimal(java.lang.Long.toUnsignedString(bits))

    private fun bytes(raw: RawArray, width: Int, i: Int) = ByteArray(width).also { raw.buffers[1]!!.get(width * i, it) }

    private fun integer(raw: RawArray, width: Int, i: Int): Int = raw.buffers[1]!!.integer(width, i).toInt()

    private fun variable(raw: RawArray, width: Int, i: Int): ByteArray {
        val (from, to) = integer(raw, width, i) to integer(raw, width, i + 1)
        return ByteArray(to - from).also { raw.buffers[2]?.get(from, it) }
    }

    private fun view(raw: RawArray, i: Int): ByteArray {
        val views = raw.buffers[1]!!
        val bytes = ByteArray(views.getInt(16 * i))
        return if (bytes.size <= 12) bytes.also { views.get(16 * i + 4, it) } else bytes.also {
            raw.buffers[2 + views.getInt(16 * i + 8)]!!.get(views.getInt(16 * i + 12), it)
        }
    }

    private fun element(child: RawArray, i: Int) = at(child, child.offset + i)

    private fun elements(raw: RawArray, from: Int, to: Int) = (from until to).map { element(raw.children[0], it) }

    private fun union(raw: RawArray, type: UnionType, i: Int): Tagged {
        val child = type.typeIds().indexOf(raw.buffers[0]!!.get(i).toInt())
        return Tagged(
            child,
            element(raw.children[child], if (type.mode() == UnionMode.SPARSE) i else raw.buffers[1]!!.getInt(4 * i)),
        )
    }

    private fun run(raw: RawArray, i: Int): Any? {
        val (ends, values) = raw.children
        val width = SoundArrays.width(ends.type)
        return element(values, (0 until ends.length).first { ends.buffers[1]!!.integer(width, ends.offset + it) > i })
    }
}
