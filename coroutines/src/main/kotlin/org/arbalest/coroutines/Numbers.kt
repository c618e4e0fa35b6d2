// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType.StructType
import java.util.function.IntPredicate

/** Nothing but nulls, of any type; of what is nested, its parts too. */
public fun ColumnScope.nulls(name: String = "", type: DataType = DataType.NULL) {
    val column = column(Field.of(name, type))
    if (type is StructType) repeat(rows) { column.appendNullWithParts() } else column.appendNulls(rows.toLong())
}

/** Booleans; null where [isNull]. */
public fun ColumnScope.bool(name: String = "", values: BooleanArray, isNull: IntPredicate? = null) {
    column(Field.of(name, DataType.BOOL)).appendAll(values).nullWhere(isNull)
}

/** Booleans, whose elements may be null; as many as there are rows. */
public fun ColumnScope.bool(name: String = "", values: List<Boolean?>) {
    requireRows(name, values.size)
    bool(name) { values[it] }
}

/** Booleans. */
public inline fun ColumnScope.bool(name: String = "", value: (row: Int) -> Boolean?) {
    fill(column(Field.of(name, DataType.BOOL)), value) { append(it) }
}

/** 16-bit floats, rounded to the nearest; null where [isNull]. */
public fun ColumnScope.float16(name: String = "", values: FloatArray, isNull: IntPredicate? = null) {
    column(Field.of(name, DataType.FLOAT16)).appendAll(values).nullWhere(isNull)
}

/** 16-bit floats, rounded to the nearest. */
public inline fun ColumnScope.float16(name: String = "", value: (row: Int) -> Float?) {
    fill(column(Field.of(name, DataType.FLOAT16)), value) { append(it.toDouble()) }
}

/** 16-bit floats, rounded to the nearest; elements may be null; as many as there are rows. */
public fun ColumnScope.float16(name: String = "", values: List<Float?>) {
    requireRows(name, values.size)
    float16(name) { values[it] }
}

/** 32-bit floats, in one copy; null where [isNull]. */
public fun ColumnScope.float32(name: String = "", values: FloatArray, isNull: IntPredicate? = null) {
    column(Field.of(name, DataType.FLOAT32)).appendAll(values).nullWhere(isNull)
}

/** 32-bit floats. */
public inline fun ColumnScope.float32(name: String = "", value: (row: Int) -> Float?) {
    fill(column(Field.of(name, DataType.FLOAT32)), value) { append(it.toDouble()) }
}

/** 32-bit floats; elements may be null; as many as there are rows. */
public fun ColumnScope.float32(name: String = "", values: List<Float?>) {
    requireRows(name, values.size)
    float32(name) { values[it] }
}

/** 64-bit floats, in one copy; null where [isNull]. */
public fun ColumnScope.float64(name: String = "", values: DoubleArray, isNull: IntPredicate? = null) {
    column(Field.of(name, DataType.FLOAT64)).appendAll(values).nullWhere(isNull)
}

/** 32-bit floats as 64-bit ones; null where [isNull]. */
public fun ColumnScope.float64(name: String = "", values: FloatArray, isNull: IntPredicate? = null) {
    column(Field.of(name, DataType.FLOAT64)).appendAll(values).nullWhere(isNull)
}

/** 32-bit integers as 64-bit floats, which have them all; null where [isNull]. */
public fun ColumnScope.float64(name: String = "", values: IntArray, isNull: IntPredicate? = null) {
    column(Field.of(name, DataType.FLOAT64)).appendAll(values).nullWhere(isNull)
}

/** 64-bit floats, whose elements may be null; as many as there are rows. */
public fun ColumnScope.float64(name: String = "", values: List<Double?>) {
    requireRows(name, values.size)
    float64(name) { values[it] }
}

/** 64-bit floats. */
public inline fun ColumnScope.float64(name: String = "", value: (row: Int) -> Double?) {
    fill(column(Field.of(name, DataType.FLOAT64)), value) { append(it) }
}
