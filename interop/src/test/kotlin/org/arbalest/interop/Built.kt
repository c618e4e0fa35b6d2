package org.arbalest.interop

import org.arbalest.device.ColumnBuilder
import org.arbalest.device.DataType
import org.arbalest.device.DeviceArray
import org.arbalest.device.Devices
import org.arbalest.device.Field
import org.arbalest.device.FlatType
import org.arbalest.device.NestedType
import java.math.BigDecimal

/** Arrays of those types that there are builders for, by them. */
internal object Built {
    fun knows(type: DataType): Boolean = when (type) {
        is FlatType.Utf8ViewType, is FlatType.BinaryViewType, is FlatType.IntervalType, is NestedType.ListViewType, is NestedType.LargeListViewType,
        is NestedType.FixedSizeListType, is NestedType.MapType, is NestedType.UnionType, is NestedType.RunEndEncodedType -> false
        is NestedType.DictionaryType -> type.values().type() == DataType.UTF8 && !type.ordered()
        else -> type.children().all { knows(it.type()) }
    }

    /** A batch of columns, each of the values as [Laid] has them. */
    fun batch(columns: List<Pair<Field, List<Any?>>>): DeviceArray = Devices.cpu().batchBuilder(columns.first().second.size).use { batch ->
        for ((field, values) in columns) {
            val column = batch.column(field)
            values.forEach { append(column, field.type(), it) }
        }
        batch.build()
    }

    private fun append(column: ColumnBuilder, type: DataType, value: Any?) {
        if (type is NestedType.StructType) type.fields().forEach { append(column.child(it.name()), it.type(), (value as Map<*, *>?)?.get(it.name())) }
        when {
            value == null -> column.appendNull()
            value is Boolean -> column.append(value)
            value is Long -> column.append(value)
            value is Double -> column.append(value)
            value is BigDecimal -> column.append(value)
            value is String -> column.append(value)
            type is NestedType.StructType -> column.appendStruct()
            value is List<*> && type.children().isEmpty() -> column.append(value.map { it as Byte }.toByteArray())
            value is List<*> -> {
                column.appendList(value.size)
                value.forEach { append(column.items(), type.children().single().type(), it) }
            }
            else -> error("no such value: $value")
        }
    }
}
