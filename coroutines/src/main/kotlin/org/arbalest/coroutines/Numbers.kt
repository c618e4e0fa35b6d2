// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType.StructType
import java.util.function.IntPredicate

/** Adds a column of nulls of any type. In a struct type the fields are null too. */
public fun ColumnScope.nulls(name: String = "", type: DataType = DataType.NULL) {
    val column = column(Field.of(name, type))
    if (type is StructType) repeat(rows) { column.appendNullWithParts() } else column.appendNulls(rows.toLong())
}

/** Adds a column of booleans. Rows for which [isNull] returns true are null. */
public fun ColumnScope.bool(name: String = "", values: BooleanArray, isNull: IntPredicate? = null) {
    column(Field.of(name, DataType.BOOL)).appendAll(values).nullWhere(isNull)
}

/** Adds a column of booleans. The list has one element for each row; elements may be null. */
public fun ColumnScope.bool(name: String = "", values: List<Boolean?>) {
    requireRows(name, values.size)
    bool(name) { values[it] }
}

/** Adds a column of booleans. */
public inline fun ColumnScope.bool(name: String = "", value: (row: Int) -> Boolean?) {
    fill(column(Field.of(name, DataType.BOOL)), value) { append(it) }
}

/** Adds a column of 16-bit floats, rounded to the nearest value. Rows for which [isNull] returns true are null. */
public fun ColumnScope.float16(name: String = "", values: FloatArray, isNull: IntPredicate? = null) {
    column(Field.of(name, DataType.FLOAT16)).appendAll(values).nullWhere(isNull)
}

/** Adds a column of 16-bit floats, rounded to the nearest value. */
public inline fun ColumnScope.float16(name: String = "", value: (row: Int) -> Float?) {
    fill(column(Field.of(name, DataType.FLOAT16)), value) { append(it.toDouble()) }
}

/**
 * Adds a column of 16-bit floats, rounded to the nearest value. The list has one element for each row; elements may be
 * null.
 */
public fun ColumnScope.float16(name: String = "", values: List<Float?>) {
    requireRows(name, values.size)
    float16(name) { values[it] }
}

/** Adds a column of 32-bit floats in one bulk copy. Rows for which [isNull] returns true are null. */
public fun ColumnScope.float32(name: String = "", values: FloatArray, isNull: IntPredicate? = null) {
    column(Field.of(name, DataType.FLOAT32)).appendAll(values).nullWhere(isNull)
}

/** Adds a column of 32-bit floats. */
public inline fun ColumnScope.float32(name: String = "", value: (row: Int) -> Float?) {
    fill(column(Field.of(name, DataType.FLOAT32)), value) { append(it.toDouble()) }
}

/** Adds a column of 32-bit floats. The list has one element for each row; elements may be null. */
public fun ColumnScope.float32(name: String = "", values: List<Float?>) {
    requireRows(name, values.size)
    float32(name) { values[it] }
}

/** Adds a column of 64-bit floats in one bulk copy. Rows for which [isNull] returns true are null. */
public fun ColumnScope.float64(name: String = "", values: DoubleArray, isNull: IntPredicate? = null) {
    column(Field.of(name, DataType.FLOAT64)).appendAll(values).nullWhere(isNull)
}

/** Adds a column of 64-bit floats from 32-bit ones. Rows for which [isNull] returns true are null. */
public fun ColumnScope.float64(name: String = "", values: FloatArray, isNull: IntPredicate? = null) {
    column(Field.of(name, DataType.FLOAT64)).appendAll(values).nullWhere(isNull)
}

/**
 * Adds a column of 64-bit floats from 32-bit integers, which it stores exactly. Rows for which [isNull] returns true
 * are null.
 */
public fun ColumnScope.float64(name: String = "", values: IntArray, isNull: IntPredicate? = null) {
    column(Field.of(name, DataType.FLOAT64)).appendAll(values).nullWhere(isNull)
}

/** Adds a column of 64-bit floats. The list has one element for each row; elements may be null. */
public fun ColumnScope.float64(name: String = "", values: List<Double?>) {
    requireRows(name, values.size)
    float64(name) { values[it] }
}

/** Adds a column of 64-bit floats. */
public inline fun ColumnScope.float64(name: String = "", value: (row: Int) -> Double?) {
    fill(column(Field.of(name, DataType.FLOAT64)), value) { append(it) }
}
