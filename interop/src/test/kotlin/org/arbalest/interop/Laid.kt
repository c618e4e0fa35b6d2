// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop

import org.arbalest.device.ArrayData
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.Devices
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType
import org.arbalest.device.types.FlatType.IntervalUnit
import org.arbalest.device.types.Interval
import org.arbalest.device.types.NestedType
import org.arbalest.device.types.NestedType.UnionMode
import java.io.ByteArrayOutputStream
import java.lang.foreign.MemorySegment
import java.math.BigDecimal

/** An element of a union: the id of its type, and its value. */
internal data class Variant(val id: Int, val value: Any?)

/**
 * Arrays of any type, laid by hand in the columnar format. Numbers are Long, Double or BigDecimal; bytes are a list of
 * Byte; a struct is a map; a map is a list of such maps; any other value is the Java type of its name.
 *
 * Where the format allows a choice, this code takes the unusual one: list views in reverse order, text views in two
 * buffers, and dictionaries with unused and repeated values.
 */
internal object Laid {
    /**
     * The values of all dictionaries, the same for each array. Arrow C++ treats arrays with different dictionaries as
     * different, even if they encode the same values.
     */
    val DICTIONARIES: List<List<Any>> =
        listOf(listOf("unused", "blue", "red", "green", "red"), List(3) { it * 10_000_000_019L })

    /** Returns an array of the values, with a validity bitmap if one of them is null. */
    fun array(field: Field, values: List<Any?>): DeviceArray = DeviceArray.of(field, lay(field.type(), values))

    fun lay(type: DataType, values: List<Any?>): ArrayData = when (type) {
        is FlatType.NullType -> ArrayData.of(values.size.toLong(), values.size.toLong(), emptyList())
        is FlatType.BoolType -> plain(values, bits(values) { it == true })
        is FlatType.IntType -> plain(values, fixed(values, type.bits() / 8))
        is FlatType.FloatType -> plain(values, floats(values.map { it as Double? ?: 0.0 }, type.bits()))
        is FlatType.DecimalType -> plain(values, decimals(values, type))
        is FlatType.DateType -> plain(values, fixed(values, if (type.unit() == FlatType.DateUnit.DAY) 4 else 8))
        is FlatType.TimeType -> plain(values, fixed(values, if (type.unit().ordinal < 2) 4 else 8))
        is FlatType.TimestampType, is FlatType.DurationType -> plain(values, fixed(values, 8))
        is FlatType.IntervalType ->
            plain(values, intervals(values.map { it as Interval? ?: Interval(0, 0, 0) }, type.unit()))
        is FlatType.FixedSizeBinaryType ->
            plain(values, buffer { out -> values.forEach { out.write(it?.let(::bytes) ?: ByteArray(type.width())) } })
        is FlatType.Utf8Type, is FlatType.BinaryType -> variable(values, 4)
        is FlatType.LargeUtf8Type, is FlatType.LargeBinaryType -> variable(values, 8)
        is FlatType.Utf8ViewType, is FlatType.BinaryViewType -> views(values)
        is NestedType.ListType -> list(values, type.item(), 4)
        is NestedType.LargeListType -> list(values, type.item(), 8)
        is NestedType.MapType -> list(values, type.entries(), 4)
        is NestedType.ListViewType -> listView(values, type.item(), 4)
        is NestedType.LargeListViewType -> listView(values, type.item(), 8)
        is NestedType.FixedSizeListType ->
            nested(
                values,
                emptyList(),
                lay(type.item().type(), values.flatMap { elements(it) ?: List(type.size()) { null } }),
            )
        is NestedType.StructType -> nested(values, emptyList(), *struct(type.fields(), values))
        is NestedType.UnionType -> union(type, values.map { it as Variant })
        is NestedType.RunEndEncodedType -> runs(type, values)
        is NestedType.DictionaryType -> dictionary(type, values)
    }

    private fun plain(values: List<Any?>, vararg buffers: DeviceBuffer): ArrayData = nested(values, buffers.toList())

    private fun nested(values: List<Any?>, buffers: List<DeviceBuffer>, vararg children: ArrayData): ArrayData {
        val nulls = values.count { it == null }
        val validity = if (nulls == 0) null else bits(values) { it != null }
        return ArrayData.of(values.size.toLong(), nulls.toLong(), listOf(validity) + buffers, children.toList())
    }

    private fun variable(values: List<Any?>, width: Int): ArrayData {
        val texts = values.map { it?.let(::bytes) ?: ByteArray(0) }
        return plain(values, offsets(texts.map { it.size }, width), buffer { out -> texts.forEach(out::write) })
    }

    private fun views(values: List<Any?>): ArrayData {
        val data = List(2) { ByteArrayOutputStream() }
        val views = buffer { out ->
            for ((i, value) in values.withIndex()) {
                val text = value?.let(::bytes) ?: ByteArray(0)
                out.number(text.size.toLong(), 4)
                if (text.size <= 12) {
                    out.write(text.copyOf(12))
                } else {
                    out.write(text, 0, 4)
                    out.number(i % 2L, 4)
                    out.number(data[i % 2].size().toLong(), 4)
                    data[i % 2].write(text)
                }
            }
        }
        return plain(values, views, *data.map { bytes -> buffer { it.write(bytes.toByteArray()) } }.toTypedArray())
    }

    private fun list(values: List<Any?>, item: Field, width: Int): ArrayData {
        val lists = values.map { elements(it).orEmpty() }
        return nested(values, listOf(offsets(lists.map { it.size }, width)), lay(item.type(), lists.flatten()))
    }

    private fun listView(values: List<Any?>, item: Field, width: Int): ArrayData {
        val lists = values.map { elements(it).orEmpty() }
        val all = lists.asReversed().flatten()
        var end = all.size
        val starts = lists.map { list -> (end - list.size).also { end = it }.toLong() }
        val buffers = listOf(fixed(starts, width), fixed(lists.map { it.size.toLong() }, width))
        return nested(values, buffers, lay(item.type(), all))
    }

    private fun struct(fields: List<Field>, values: List<Any?>): Array<ArrayData> =
        fields.map { field -> lay(field.type(), values.map { (it as Map<*, *>?)?.get(field.name()) }) }.toTypedArray()

    private fun union(type: NestedType.UnionType, values: List<Variant>): ArrayData {
        val ids = fixed(values.map { it.id.toLong() }, 1)
        val dense = type.mode() == UnionMode.DENSE
        val children = type.typeIds().mapIndexed { i, id ->
            val own = if (dense) values.filter { it.id == id } else values
            lay(type.fields()[i].type(), own.map { if (it.id == id) it.value else null })
        }
        val counts = mutableMapOf<Int, Long>()
        val offsets = values.map { variant -> counts.merge(variant.id, 1L, Long::plus)!! - 1 }
        return ArrayData.of(values.size.toLong(), 0,
            if (dense) listOf(ids, fixed(offsets, 4)) else listOf(ids), children)
    }

    private fun runs(type: NestedType.RunEndEncodedType, values: List<Any?>): ArrayData {
        val ends = values.indices.filter { it == values.lastIndex || values[it] != values[it + 1] }
        val children =
            listOf(lay(type.runEnds().type(), ends.map { it + 1L }), lay(type.values().type(), ends.map { values[it] }))
        return ArrayData.of(values.size.toLong(), 0, emptyList(), children)
    }

    private fun dictionary(type: NestedType.DictionaryType, values: List<Any?>): ArrayData {
        val words = checkNotNull(DICTIONARIES.firstOrNull { it.containsAll(values.filterNotNull()) }) {
            "cannot encode $values: no dictionary contains all of them"
        }
        val index =
            fixed(values.map { value -> value?.let { words.lastIndexOf(it).toLong() } }, type.index().bits() / 8)
        val indices = plain(values, index)
        return ArrayData(indices.length(), indices.nullCount(), 0, indices.buffers(), emptyList(),
            lay(type.values().type(), words))
    }

    private fun offsets(sizes: List<Int>, width: Int) = fixed(sizes.runningFold(0L) { end, size -> end + size }, width)

    /** Returns the elements of a list, which are the values of its child. */
    private fun elements(value: Any?): List<*>? = value as List<*>?

    private fun bytes(value: Any): ByteArray = if (value is String) value.encodeToByteArray()
    else (value as List<*>).map { it as Byte }.toByteArray()

    private fun fixed(values: List<Any?>, width: Int) = buffer { out ->
        values.forEach { out.number(it as Long? ?: 0, width) }
    }

    private fun floats(values: List<Double>, bits: Int) = buffer { out ->
        for (value in values) {
            when (bits) {
                16 -> out.number(java.lang.Float.floatToFloat16(value.toFloat()).toLong(), 2)
                32 -> out.number(value.toFloat().toRawBits().toLong(), 4)
                else -> out.number(value.toRawBits(), 8)
            }
        }
    }

    private fun decimals(values: List<Any?>, type: FlatType.DecimalType) = buffer { out ->
        for (value in values) {
            val unscaled = (value as BigDecimal? ?: BigDecimal.ZERO).setScale(type.scale()).unscaledValue()
            for (byte in 0 until type.bits() / 8) out.write(unscaled.shiftRight(8 * byte).toInt())
        }
    }

    private fun intervals(values: List<Interval>, unit: IntervalUnit) = buffer { out ->
        for (value in values) {
            if (unit != IntervalUnit.DAY_TIME) out.number(value.months().toLong(), 4)
            if (unit != IntervalUnit.YEAR_MONTH) out.number(value.days().toLong(), 4)
            if (unit == IntervalUnit.DAY_TIME) out.number(value.nanoseconds() / 1_000_000, 4)
            if (unit == IntervalUnit.MONTH_DAY_NANO) out.number(value.nanoseconds(), 8)
        }
    }

    private fun bits(values: List<Any?>, isSet: (Any?) -> Boolean) = buffer { out ->
        for (eight in values.chunked(8))
            out.write(eight.foldIndexed(0) { i, byte, value -> if (isSet(value)) byte or (1 shl i) else byte })
    }

    private fun ByteArrayOutputStream.number(value: Long, width: Int) {
        for (byte in 0 until width) write((value shr (8 * byte)).toInt())
    }

    private fun buffer(write: (ByteArrayOutputStream) -> Unit): DeviceBuffer {
        val bytes = ByteArrayOutputStream().also(write).toByteArray()
        return Devices.cpu().memory().allocate(bytes.size.toLong()).also {
            it.segment().copyFrom(MemorySegment.ofArray(bytes))
        }
    }
}
