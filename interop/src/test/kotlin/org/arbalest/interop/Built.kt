package org.arbalest.interop

import org.arbalest.device.ColumnBuilder
import org.arbalest.device.DataType
import org.arbalest.device.DeviceArray
import org.arbalest.device.Devices
import org.arbalest.device.Field
import java.math.BigDecimal

/** Arrays of those types that there are builders for, by them. */
internal object Built {
    fun knows(type: DataType): Boolean = when (type) {
        is DataType.Utf8ViewType, is DataType.BinaryViewType, is DataType.IntervalType, is DataType.ListViewType, is DataType.LargeListViewType,
        is DataType.FixedSizeListType, is DataType.MapType, is DataType.UnionType, is DataType.RunEndEncodedType -> false
        is DataType.DictionaryType -> type.values().type() == DataType.Utf8Type() && !type.ordered()
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
        if (type is DataType.StructType) type.fields().forEach { append(column.child(it.name()), it.type(), (value as Map<*, *>?)?.get(it.name())) }
        when {
            value == null -> column.appendNull()
            value is Boolean -> column.append(value)
            value is Long -> column.append(value)
            value is Double -> column.append(value)
            value is BigDecimal -> column.append(value)
            value is String -> column.append(value)
            type is DataType.StructType -> column.appendStruct()
            value is List<*> && type.children().isEmpty() -> column.append(value.map { it as Byte }.toByteArray())
            value is List<*> -> {
                column.appendList(value.size)
                value.forEach { append(column.items(), type.children().single().type(), it) }
            }
            else -> error("no such value: $value")
        }
    }
}
