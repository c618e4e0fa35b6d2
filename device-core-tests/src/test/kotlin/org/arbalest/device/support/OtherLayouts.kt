// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.support

import org.arbalest.device.DeviceException
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType.IntType
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

/** The types that arrays of a type can be converted to: each kind of change, at every level. */
internal object OtherLayouts {
    private val texts = listOf(DataType.UTF8, DataType.LARGE_UTF8, DataType.UTF8_VIEW)
    private val binaries = listOf(DataType.BINARY, DataType.LARGE_BINARY, DataType.BINARY_VIEW)
    private val lists = listOf<(Field) -> DataType>(::ListType, ::LargeListType, ::ListViewType, ::LargeListViewType)

    /** Returns the other layouts of a type, without the type itself. */
    fun of(type: DataType): List<DataType> = when (type) {
        in texts -> texts - type
        in binaries -> binaries - type
        is ListType, is LargeListType, is ListViewType, is LargeListViewType ->
            of(type.children().single()).let { items ->
                lists.flatMap { kind -> items.map(kind) } - type
            }
        is DictionaryType -> of(type.values()).flatMap { values ->
            indices(type).map<IntType, DataType> { DictionaryType(it, values, false) } + values.type()
        } + of(type.values().type()) - type
        is RunEndEncodedType -> of(type.values()).flatMap { values ->
            listOf(16, 32, 64).map<Int, DataType> {
                RunEndEncodedType(type.runEnds().withType(IntType(it, true)), values)
            } + values.type()
        } + of(type.values().type()) - type
        is FixedSizeListType -> of(type.item()).map<Field, DataType> { FixedSizeListType(it, type.size()) } - type
        is MapType -> {
            val (key, value) = type.entries().type().children()
            pairs(key, value).map<Pair<Field, Field>, DataType> { (k, v) ->
                MapType(
                    type.entries().withName("e").withType(StructType(listOf(k.withName("k"), v.withName("v")))), false,
                )
            } - type
        }
        is StructType -> {
            val all = type.fields().map(::of)
            val most = all.maxOfOrNull { it.size } ?: 0
            List<DataType>(most) { n ->
                StructType(all.map { it[n % it.size] }.let { if (n % 2 == 0) it else it.reversed() })
            } - type
        }
        is UnionType -> {
            val all = type.fields().map(::of)
            List<DataType>(all.maxOfOrNull { it.size } ?: 0) { n ->
                UnionType(type.mode(), type.typeIds(), all.map { it[n % it.size] })
            } - type
        }
        else -> emptyList()
    }.distinct()

    /** Returns the field itself, and some of its variants in other layouts. */
    private fun of(field: Field): List<Field> = listOf(field) + of(field.type())
        .let { if (it.size <= 6) it else it.filterIndexed { i, _ -> i % (it.size / 6) == 0 } }.map(field::withType)

    private fun pairs(key: Field, value: Field) = of(key).map { it to value } + of(value).map { key to it }

    private fun indices(type: DictionaryType) =
        listOf(IntType(8, true), IntType(16, false), IntType(64, true), type.index()).distinct()

    /**
     * Returns whether a valid array may be rejected with this error. The values of a dictionary may be null although
     * its field is not nullable, and a union has no nulls itself.
     */
    fun mayRefuse(e: DeviceException): Boolean = "is null, but the requested field is not " +
        "nullable" in e.message!! || "no child of the union" in e.message!!

    /**
     * Returns whether a row has exactly the value that [HandLaid] lays out for it in the other layout: both types
     * encode the same parts.
     */
    fun areLaidAlike(type: DataType, other: DataType): Boolean = encodings(type) == encodings(other) &&
        !isReordered(type, other)

    private fun encodings(type: DataType): List<String> = when (type) {
        is DictionaryType -> listOf("d") + encodings(type.values().type())
        is RunEndEncodedType -> listOf("r") + encodings(type.values().type())
        else -> type.children().flatMap { encodings(it.type()) + "," }
    }

    /**
     * Returns whether a struct's fields are in another order, or fewer. The encoding of the values makes no difference.
     */
    fun isReordered(type: DataType, other: DataType): Boolean {
        val (one, two) = decoded(type) to decoded(other)
        return when (one) {
            is StructType -> one.fields().map { it.name() } != two.children().map { it.name() } ||
                one.fields().indices.any { isReordered(one.fields()[it].type(), two.children()[it].type()) }
            is MapType -> (0..1).any {
                isReordered(one.entries().type().children()[it].type(),
                    (two as MapType).entries().type().children()[it].type())
            }
            else -> one.children().indices.any { isReordered(one.children()[it].type(), two.children()[it].type()) }
        }
    }

    private tailrec fun decoded(type: DataType): DataType = when (type) {
        is DictionaryType -> decoded(type.values().type())
        is RunEndEncodedType -> decoded(type.values().type())
        else -> type
    }
}
