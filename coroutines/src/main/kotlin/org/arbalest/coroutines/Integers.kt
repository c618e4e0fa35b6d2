// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import java.util.function.IntPredicate

/** Adds a column of 8-bit integers in one bulk copy. Rows for which [isNull] returns true are null. */
public fun ColumnScope.int8(name: String = "", values: ByteArray, isNull: IntPredicate? = null) {
    column(Field.of(name, DataType.INT8)).appendAll(values).nullWhere(isNull)
}

/** Adds a column of 8-bit integers. */
public inline fun ColumnScope.int8(name: String = "", value: (row: Int) -> Byte?) {
    fill(column(Field.of(name, DataType.INT8)), value) { append(it.toLong()) }
}

/** Adds a column of 8-bit integers. The list has one element for each row; elements may be null. */
public fun ColumnScope.int8(name: String = "", values: List<Byte?>) {
    requireRows(name, values.size)
    int8(name) { values[it] }
}

/** Adds a column of 16-bit integers in one bulk copy. Rows for which [isNull] returns true are null. */
public fun ColumnScope.int16(name: String = "", values: ShortArray, isNull: IntPredicate? = null) {
    column(Field.of(name, DataType.INT16)).appendAll(values).nullWhere(isNull)
}

/** Adds a column of 16-bit integers. */
public inline fun ColumnScope.int16(name: String = "", value: (row: Int) -> Short?) {
    fill(column(Field.of(name, DataType.INT16)), value) { append(it.toLong()) }
}

/** Adds a column of 16-bit integers. The list has one element for each row; elements may be null. */
public fun ColumnScope.int16(name: String = "", values: List<Short?>) {
    requireRows(name, values.size)
    int16(name) { values[it] }
}

/** Adds a column of 32-bit integers in one bulk copy. Rows for which [isNull] returns true are null. */
public fun ColumnScope.int32(name: String = "", values: IntArray, isNull: IntPredicate? = null) {
    column(Field.of(name, DataType.INT32)).appendAll(values).nullWhere(isNull)
}

/** Adds a column of 32-bit integers. The list has one element for each row; elements may be null. */
public fun ColumnScope.int32(name: String = "", values: List<Int?>) {
    requireRows(name, values.size)
    int32(name) { values[it] }
}

/** Adds a column of 32-bit integers. */
public inline fun ColumnScope.int32(name: String = "", value: (row: Int) -> Int?) {
    fill(column(Field.of(name, DataType.INT32)), value) { append(it.toLong()) }
}

/** Adds a column of 64-bit integers in one bulk copy. Rows for which [isNull] returns true are null. */
public fun ColumnScope.int64(name: String = "", values: LongArray, isNull: IntPredicate? = null) {
    column(Field.of(name, DataType.INT64)).appendAll(values).nullWhere(isNull)
}

/** Adds a column of 64-bit integers from 32-bit ones. Rows for which [isNull] returns true are null. */
public fun ColumnScope.int64(name: String = "", values: IntArray, isNull: IntPredicate? = null) {
    column(Field.of(name, DataType.INT64)).appendAll(values).nullWhere(isNull)
}

/** Adds a column of 64-bit integers. The list has one element for each row; elements may be null. */
public fun ColumnScope.int64(name: String = "", values: List<Long?>) {
    requireRows(name, values.size)
    int64(name) { values[it] }
}

/** Adds a column of 64-bit integers. */
public inline fun ColumnScope.int64(name: String = "", value: (row: Int) -> Long?) {
    fill(column(Field.of(name, DataType.INT64)), value) { append(it) }
}
