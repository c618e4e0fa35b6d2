// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import java.lang.foreign.MemorySegment
import java.util.function.IntPredicate

/** Adds a column of unsigned 8-bit integers in one bulk copy. Rows for which [isNull] returns true are null. */
@ExperimentalUnsignedTypes
public fun ColumnScope.uint8(name: String = "", values: UByteArray, isNull: IntPredicate? = null) {
    column(Field.of(name, DataType.UINT8)).appendAll(MemorySegment.ofArray(values.asByteArray())).nullWhere(isNull)
}

/** Adds a column of unsigned 8-bit integers. */
public inline fun ColumnScope.uint8(name: String = "", value: (row: Int) -> UByte?) {
    fill(column(Field.of(name, DataType.UINT8)), value) { append(it.toLong()) }
}

/** Adds a column of unsigned 8-bit integers. The list has one element for each row; elements may be null. */
public fun ColumnScope.uint8(name: String = "", values: List<UByte?>) {
    requireRows(name, values.size)
    uint8(name) { values[it] }
}

/** Adds a column of unsigned 16-bit integers in one bulk copy. Rows for which [isNull] returns true are null. */
@ExperimentalUnsignedTypes
public fun ColumnScope.uint16(name: String = "", values: UShortArray, isNull: IntPredicate? = null) {
    column(Field.of(name, DataType.UINT16)).appendAll(MemorySegment.ofArray(values.asShortArray())).nullWhere(isNull)
}

/** Adds a column of unsigned 16-bit integers. */
public inline fun ColumnScope.uint16(name: String = "", value: (row: Int) -> UShort?) {
    fill(column(Field.of(name, DataType.UINT16)), value) { append(it.toLong()) }
}

/** Adds a column of unsigned 16-bit integers. The list has one element for each row; elements may be null. */
public fun ColumnScope.uint16(name: String = "", values: List<UShort?>) {
    requireRows(name, values.size)
    uint16(name) { values[it] }
}

/** Adds a column of unsigned 32-bit integers in one bulk copy. Rows for which [isNull] returns true are null. */
@ExperimentalUnsignedTypes
public fun ColumnScope.uint32(name: String = "", values: UIntArray, isNull: IntPredicate? = null) {
    column(Field.of(name, DataType.UINT32)).appendAll(MemorySegment.ofArray(values.asIntArray())).nullWhere(isNull)
}

/** Adds a column of unsigned 32-bit integers. */
public inline fun ColumnScope.uint32(name: String = "", value: (row: Int) -> UInt?) {
    fill(column(Field.of(name, DataType.UINT32)), value) { append(it.toLong()) }
}

/** Adds a column of unsigned 32-bit integers. The list has one element for each row; elements may be null. */
public fun ColumnScope.uint32(name: String = "", values: List<UInt?>) {
    requireRows(name, values.size)
    uint32(name) { values[it] }
}

/** Adds a column of unsigned 64-bit integers in one bulk copy. Rows for which [isNull] returns true are null. */
@ExperimentalUnsignedTypes
public fun ColumnScope.uint64(name: String = "", values: ULongArray, isNull: IntPredicate? = null) {
    column(Field.of(name, DataType.UINT64)).appendAll(MemorySegment.ofArray(values.asLongArray())).nullWhere(isNull)
}

/** Adds a column of unsigned 64-bit integers. */
public inline fun ColumnScope.uint64(name: String = "", value: (row: Int) -> ULong?) {
    fill(column(Field.of(name, DataType.UINT64)), value) { append(it.toLong()) }
}

/** Adds a column of unsigned 64-bit integers. The list has one element for each row; elements may be null. */
public fun ColumnScope.uint64(name: String = "", values: List<ULong?>) {
    requireRows(name, values.size)
    uint64(name) { values[it] }
}
