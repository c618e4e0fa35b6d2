// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.support

import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType
import org.arbalest.device.types.FlatType.NullType
import org.arbalest.device.types.NestedType.DictionaryType
import org.arbalest.device.types.NestedType.FixedSizeListType
import org.arbalest.device.types.NestedType.LargeListType
import org.arbalest.device.types.NestedType.LargeListViewType
import org.arbalest.device.types.NestedType.ListType
import org.arbalest.device.types.NestedType.ListViewType
import org.arbalest.device.types.NestedType.MapType
import org.arbalest.device.types.NestedType.RunEndEncodedType
import org.arbalest.device.types.NestedType.StructType
import org.arbalest.device.types.NestedType.UnionType

/**
 * Valid arrays that are smaller than an array of [SoundArrays]: one of its parts, the array with fewer fields, with a
 * part replaced by numbers, or with fewer rows. The smallest comes first.
 */
internal object SoundShrinker {
    fun smaller(raw: RawArray): List<RawArray> = (raw.children + listOfNotNull(raw.dictionary)).map(::renamed) +
        alike(raw) + fewerRows(raw)

    private fun renamed(part: RawArray) = RawArray(part.field.withName("a"), part.length, part.nullCount, part.offset,
        part.buffers, part.children, part.dictionary)

    /** Returns arrays with the same number of elements, which can take the array's place. */
    private fun alike(raw: RawArray): List<RawArray> {
        val type = raw.type
        val parts = when (type) {
            is FlatType -> emptyList()
            is MapType -> alikeValues(raw.children[0]).map { withChild(raw, 0, it) }
            is RunEndEncodedType -> alike(raw.children[1]).map { withChild(raw, 1, it) }
            is DictionaryType -> alike(raw.dictionary!!).map { values ->
                raw.with(DictionaryType(type.index(), values.field, type.ordered()), dictionary = values)
            }
            else -> raw.children.indices.flatMap { i -> alike(raw.children[i]).map { withChild(raw, i, it) } }
        }
        return number(raw) + withoutField(raw) + parts
    }

    /** Returns alternatives for the struct of a map, with the same keys. */
    private fun alikeValues(entries: RawArray): List<RawArray> =
        alike(entries.children[1]).map { withChild(entries, 1, it) }

    private fun number(raw: RawArray): List<RawArray> {
        val type = raw.type
        if (type == DataType.INT8) return emptyList()
        val validity = if (!raw.field.isNullable || type is NullType || type is UnionType || type is RunEndEncodedType)
            null else raw.buffers[0]
        return listOf(RawArray(raw.field.withType(DataType.INT8), raw.length, -1, raw.offset,
            mutableListOf(validity, RawArray.blank(raw.end))))
    }

    private fun withoutField(raw: RawArray): List<RawArray> {
        val type = raw.type as? StructType ?: return emptyList()
        return raw.children.indices.map { i -> raw.with(StructType(type.fields().without(i)), raw.children.without(i)) }
    }

    private fun <T> List<T>.without(index: Int): List<T> = filterIndexed { i, _ -> i != index }

    private fun fewerRows(raw: RawArray): List<RawArray> = listOf(raw.length, raw.length / 2, 1).filter {
        it in 1..raw.length
    }.distinct().flatMap { fewer ->
        listOf(raw.part(raw.offset, raw.length - fewer), raw.part(raw.offset + fewer, raw.length - fewer))
    }

    private fun RawArray.part(from: Int, count: Int) = RawArray(field, count, -1, from, buffers, children, dictionary)

    private fun RawArray.with(
        type: DataType,
        children: List<RawArray> = this.children,
        dictionary: RawArray? = this.dictionary,
    ) =
        RawArray(field.withType(type), length, nullCount, offset, buffers, children, dictionary)

    private fun withChild(raw: RawArray, index: Int, child: RawArray): RawArray {
        val children = raw.children.mapIndexed { i, old -> if (i == index) child else old }
        return raw.with(withFields(raw.type, children.map { it.field }), children)
    }

    private fun withFields(type: DataType, fields: List<Field>): DataType = when (type) {
        is ListType -> ListType(fields.single())
        is LargeListType -> LargeListType(fields.single())
        is ListViewType -> ListViewType(fields.single())
        is LargeListViewType -> LargeListViewType(fields.single())
        is FixedSizeListType -> FixedSizeListType(fields.single(), type.size())
        is StructType -> StructType(fields)
        is MapType -> MapType(fields.single(), type.keysSorted())
        is UnionType -> UnionType(type.mode(), type.typeIds(), fields)
        is RunEndEncodedType -> RunEndEncodedType(fields[0], fields[1])
        else -> error("$type has no fields")
    }
}
