// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop

import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.builders.ColumnBuilder
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Interval
import org.arbalest.device.types.NestedType
import java.math.BigDecimal

/** Arrays of every type, made by the library's builders. */
internal object Built {
    /** Builds a batch of columns. Each column has a list of values in the representation of [Laid]. */
    fun batch(
        columns: List<Pair<Field, List<Any?>>>,
    ): RecordBatch = BatchBuilder.of(Devices.cpu(), columns.first().second.size).use { batch ->
        for ((field, values) in columns) {
            val column = batch.column(field)
            values.forEach { append(column, field.type(), it) }
        }
        batch.build()
    }

    private fun append(column: ColumnBuilder, type: DataType, value: Any?) {
        if (type is NestedType.StructType) type.fields().forEach {
            append(column.child(it.name()), it.type(), (value as Map<*, *>?)?.get(it.name()))
        }
        when {
            value == null -> column.appendNull()
            value is Boolean -> column.append(value)
            value is Long -> column.append(value)
            value is Double -> column.append(value)
            value is BigDecimal -> column.append(value)
            value is String -> column.append(value)
            value is Interval -> column.append(value)
            value is Variant -> (type as NestedType.UnionType).typeIds().indexOf(value.id).let { child ->
                column.appendUnion(child)
                append(column.child(child), type.fields()[child].type(), value.value)
            }
            type is NestedType.StructType -> column.appendStruct()
            type is NestedType.MapType -> {
                column.appendMap((value as List<*>).size)
                val (key, item) = type.entries().type().children()
                for (entry in value.map { it as Map<*, *> }) {
                    append(column.keys(), key.type(), entry["key"])
                    append(column.values(), item.type(), entry["value"])
                }
            }
            value is List<*> && type.children().isEmpty() -> column.append(value.map { it as Byte }.toByteArray())
            value is List<*> -> {
                column.appendList(value.size)
                value.forEach { append(column.items(), type.children().single().type(), it) }
            }
            else -> error("cannot append $value: no builder method takes a value of this class")
        }
    }
}
