// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import java.util.function.IntPredicate

/** 8-bit integers, in one copy; null where [isNull]. */
public fun ColumnScope.int8(name: String = "", values: ByteArray, isNull: IntPredicate? = null) {
    column(Field.of(name, DataType.INT8)).appendAll(values).nullWhere(isNull)
}

/** 8-bit integers. */
public inline fun ColumnScope.int8(name: String = "", value: (row: Int) -> Byte?) {
    fill(column(Field.of(name, DataType.INT8)), value) { append(it.toLong()) }
}

/** 8-bit integers; elements may be null; as many as there are rows. */
public fun ColumnScope.int8(name: String = "", values: List<Byte?>) {
    requireRows(name, values.size)
    int8(name) { values[it] }
}

/** 16-bit integers, in one copy; null where [isNull]. */
public fun ColumnScope.int16(name: String = "", values: ShortArray, isNull: IntPredicate? = null) {
    column(Field.of(name, DataType.INT16)).appendAll(values).nullWhere(isNull)
}

/** 16-bit integers. */
public inline fun ColumnScope.int16(name: String = "", value: (row: Int) -> Short?) {
    fill(column(Field.of(name, DataType.INT16)), value) { append(it.toLong()) }
}

/** 16-bit integers; elements may be null; as many as there are rows. */
public fun ColumnScope.int16(name: String = "", values: List<Short?>) {
    requireRows(name, values.size)
    int16(name) { values[it] }
}

/** 32-bit integers, in one copy; null where [isNull]. */
public fun ColumnScope.int32(name: String = "", values: IntArray, isNull: IntPredicate? = null) {
    column(Field.of(name, DataType.INT32)).appendAll(values).nullWhere(isNull)
}

/** 32-bit integers, whose elements may be null; as many as there are rows. */
public fun ColumnScope.int32(name: String = "", values: List<Int?>) {
    requireRows(name, values.size)
    int32(name) { values[it] }
}

/** 32-bit integers. */
public inline fun ColumnScope.int32(name: String = "", value: (row: Int) -> Int?) {
    fill(column(Field.of(name, DataType.INT32)), value) { append(it.toLong()) }
}

/** 64-bit integers, in one copy; null where [isNull]. */
public fun ColumnScope.int64(name: String = "", values: LongArray, isNull: IntPredicate? = null) {
    column(Field.of(name, DataType.INT64)).appendAll(values).nullWhere(isNull)
}

/** 32-bit integers as 64-bit ones; null where [isNull]. */
public fun ColumnScope.int64(name: String = "", values: IntArray, isNull: IntPredicate? = null) {
    column(Field.of(name, DataType.INT64)).appendAll(values).nullWhere(isNull)
}

/** 64-bit integers, whose elements may be null; as many as there are rows. */
public fun ColumnScope.int64(name: String = "", values: List<Long?>) {
    requireRows(name, values.size)
    int64(name) { values[it] }
}

/** 64-bit integers. */
public inline fun ColumnScope.int64(name: String = "", value: (row: Int) -> Long?) {
    fill(column(Field.of(name, DataType.INT64)), value) { append(it) }
}
