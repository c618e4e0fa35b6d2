// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import java.lang.foreign.MemorySegment
import java.util.function.IntPredicate

/** Unsigned 8-bit integers, in one copy; null where [isNull]. */
@ExperimentalUnsignedTypes
public fun ColumnScope.uint8(name: String = "", values: UByteArray, isNull: IntPredicate? = null) {
    column(Field.of(name, DataType.UINT8)).appendAll(MemorySegment.ofArray(values.asByteArray())).nullWhere(isNull)
}

/** Unsigned 8-bit integers. */
public inline fun ColumnScope.uint8(name: String = "", value: (row: Int) -> UByte?) {
    fill(column(Field.of(name, DataType.UINT8)), value) { append(it.toLong()) }
}

/** Unsigned 8-bit integers; elements may be null; as many as there are rows. */
public fun ColumnScope.uint8(name: String = "", values: List<UByte?>) {
    requireRows(name, values.size)
    uint8(name) { values[it] }
}

/** Unsigned 16-bit integers, in one copy; null where [isNull]. */
@ExperimentalUnsignedTypes
public fun ColumnScope.uint16(name: String = "", values: UShortArray, isNull: IntPredicate? = null) {
    column(Field.of(name, DataType.UINT16)).appendAll(MemorySegment.ofArray(values.asShortArray())).nullWhere(isNull)
}

/** Unsigned 16-bit integers. */
public inline fun ColumnScope.uint16(name: String = "", value: (row: Int) -> UShort?) {
    fill(column(Field.of(name, DataType.UINT16)), value) { append(it.toLong()) }
}

/** Unsigned 16-bit integers; elements may be null; as many as there are rows. */
public fun ColumnScope.uint16(name: String = "", values: List<UShort?>) {
    requireRows(name, values.size)
    uint16(name) { values[it] }
}

/** Unsigned 32-bit integers, in one copy; null where [isNull]. */
@ExperimentalUnsignedTypes
public fun ColumnScope.uint32(name: String = "", values: UIntArray, isNull: IntPredicate? = null) {
    column(Field.of(name, DataType.UINT32)).appendAll(MemorySegment.ofArray(values.asIntArray())).nullWhere(isNull)
}

/** Unsigned 32-bit integers. */
public inline fun ColumnScope.uint32(name: String = "", value: (row: Int) -> UInt?) {
    fill(column(Field.of(name, DataType.UINT32)), value) { append(it.toLong()) }
}

/** Unsigned 32-bit integers; elements may be null; as many as there are rows. */
public fun ColumnScope.uint32(name: String = "", values: List<UInt?>) {
    requireRows(name, values.size)
    uint32(name) { values[it] }
}

/** Unsigned 64-bit integers, in one copy; null where [isNull]. */
@ExperimentalUnsignedTypes
public fun ColumnScope.uint64(name: String = "", values: ULongArray, isNull: IntPredicate? = null) {
    column(Field.of(name, DataType.UINT64)).appendAll(MemorySegment.ofArray(values.asLongArray())).nullWhere(isNull)
}

/** Unsigned 64-bit integers. */
public inline fun ColumnScope.uint64(name: String = "", value: (row: Int) -> ULong?) {
    fill(column(Field.of(name, DataType.UINT64)), value) { append(it.toLong()) }
}

/** Unsigned 64-bit integers; elements may be null; as many as there are rows. */
public fun ColumnScope.uint64(name: String = "", values: List<ULong?>) {
    requireRows(name, values.size)
    uint64(name) { values[it] }
}
