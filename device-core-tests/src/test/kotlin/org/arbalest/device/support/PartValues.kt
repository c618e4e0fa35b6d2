// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.support

import org.arbalest.device.columns.Column
import org.arbalest.device.columns.ColumnView
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
import org.arbalest.device.types.NestedType
import org.arbalest.device.types.NestedType.DictionaryType
import org.arbalest.device.types.NestedType.MapType
import org.arbalest.device.types.NestedType.RunEndEncodedType
import org.arbalest.device.types.NestedType.StructType
import org.arbalest.device.types.NestedType.UnionType
import java.math.BigDecimal
import java.util.AbstractMap.SimpleEntry

/**
 * A column's values in the form of [RawValues], read part by part without `get`: fields, elements, indices, runs, and
 * the typed views of flat types.
 */
internal object PartValues {
    fun read(column: Column): List<Any?> = when (val type = column.field().type()) {
        is NullType -> List(column.length().toInt()) { null }
        is DictionaryType -> read(column.dictionary()).let { values ->
            column.indices().let { indices -> rows(indices) { values[indices.getLong(it).toInt()] } }
        }
        is RunEndEncodedType -> buildList {
            val runs = column.runs()
            val values = read(runs.values())
            while (runs.next()) repeat(runs.length().toInt()) { add(values[runs.value().toInt()]) }
        }
        is StructType -> type.fields().indices.map { read(column.column(it)) }.let { children ->
            rows(column) { row ->
                type.fields().indices.associate { type.fields()[it].name() to children[it][row.toInt()] }
            }
        }
        is UnionType -> type.fields().indices.map { read(column.column(it)) }.let { children ->
            List(column.length().toInt()) { row ->
                val child = type.typeIds().indexOf(column.getTypeId(row.toLong()))
                Tagged(child, children[child][column.getChildRow(row.toLong()).toInt()])
            }
        }
        is MapType -> rows(column) { row ->
            read(column.getList(row)).map { entry ->
                (entry as Map<*, *>).values.toList().let { (key, value) -> SimpleEntry(key, value) }
            }
        }
        is NestedType -> rows(column) { row -> read(column.getList(row)) }
        else -> flat(column, type)
    }

    private fun flat(column: Column, type: DataType): List<Any?> = when (type) {
        is BoolType -> column.asBooleans().let { view -> rows(view) { view[it] } }
        is IntType -> integers(column, type.bits()).map {
            if (it == null || type.signed()) it else RawValues.unsigned(it, type.bits())
        }
        is FloatType -> when (type.bits()) {
            16 -> column.asHalfFloats().let { view -> rows(view) { view[it].toDouble() } }
            32 -> column.asFloats().let { view -> rows(view) { view[it].toDouble() } }
            else -> column.asDoubles().let { view -> rows(view) { view[it] } }
        }
        is DecimalType -> if (type.bits() > 64) rows(column) {
            column.getDecimal(it)
        } else integers(column, type.bits()).map { unscaled -> unscaled?.let { BigDecimal.valueOf(it, type.scale()) } }
        is IntervalType -> rows(column) {
            if (type.unit() == IntervalUnit.YEAR_MONTH) column.getPeriod(it) else column.getInterval(it)
        }
        is Utf8Type, is LargeUtf8Type, is Utf8ViewType -> column.asByteStrings().let { view ->
            rows(view) { view.getString(it) }
        }
        is BinaryType, is LargeBinaryType, is BinaryViewType, is FixedSizeBinaryType -> column.asByteStrings()
            .let { view -> rows(view) { view.getBytes(it).toList() } }
        else -> integers(column, 8 * SoundArrays.width(type)) // dates, times
    }

    private fun integers(column: Column, bits: Int): List<Long?> = when (bits) {
        8 -> column.asBytes().let { view -> rows(view) { view[it].toLong() } }
        16 -> column.asShorts().let { view -> rows(view) { view[it].toLong() } }
        32 -> column.asInts().let { view -> rows(view) { view[it].toLong() } }
        else -> column.asLongs().let { view -> rows(view) { view[it] } }
    }

    private fun <T> rows(column: Column, value: (Long) -> T): List<T?> = List(column.length().toInt()) {
        if (column.isNull(it.toLong())) null else value(it.toLong())
    }

    private fun <T> rows(view: ColumnView, value: (Long) -> T): List<T?> = List(view.length().toInt()) {
        if (view.isNull(it.toLong())) null else value(it.toLong())
    }
}
