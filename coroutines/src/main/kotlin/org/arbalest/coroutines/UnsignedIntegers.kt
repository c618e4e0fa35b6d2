// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.types.DataType
import org.arbalest.device.types.Metadata
import java.lang.foreign.MemorySegment
import java.util.function.IntPredicate

/** Unsigned 8-bit integers, in one copy; null where [isNull]. */
@ExperimentalUnsignedTypes
public fun ColumnScope.uint8(
    name: String = "",
    values: UByteArray,
    isNull: IntPredicate? = null,
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
) {
    column(name, DataType.UINT8, nullable, metadata).appendAll(MemorySegment.ofArray(values.asByteArray())).nullWhere(isNull)
}

/** Unsigned 8-bit integers. */
public inline fun ColumnScope.uint8(
    name: String = "",
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
    value: (row: Int) -> UByte?,
) {
    fill(column(name, DataType.UINT8, nullable, metadata), value) { append(it.toLong()) }
}

/** Unsigned 16-bit integers, in one copy; null where [isNull]. */
@ExperimentalUnsignedTypes
public fun ColumnScope.uint16(
    name: String = "",
    values: UShortArray,
    isNull: IntPredicate? = null,
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
) {
    column(name, DataType.UINT16, nullable, metadata).appendAll(MemorySegment.ofArray(values.asShortArray())).nullWhere(isNull)
}

/** Unsigned 16-bit integers. */
public inline fun ColumnScope.uint16(
    name: String = "",
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
    value: (row: Int) -> UShort?,
) {
    fill(column(name, DataType.UINT16, nullable, metadata), value) { append(it.toLong()) }
}

/** Unsigned 32-bit integers, in one copy; null where [isNull]. */
@ExperimentalUnsignedTypes
public fun ColumnScope.uint32(
    name: String = "",
    values: UIntArray,
    isNull: IntPredicate? = null,
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
) {
    column(name, DataType.UINT32, nullable, metadata).appendAll(MemorySegment.ofArray(values.asIntArray())).nullWhere(isNull)
}

/** Unsigned 32-bit integers. */
public inline fun ColumnScope.uint32(
    name: String = "",
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
    value: (row: Int) -> UInt?,
) {
    fill(column(name, DataType.UINT32, nullable, metadata), value) { append(it.toLong()) }
}

/** Unsigned 64-bit integers, in one copy; null where [isNull]. */
@ExperimentalUnsignedTypes
public fun ColumnScope.uint64(
    name: String = "",
    values: ULongArray,
    isNull: IntPredicate? = null,
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
) {
    column(name, DataType.UINT64, nullable, metadata).appendAll(MemorySegment.ofArray(values.asLongArray())).nullWhere(isNull)
}

/** Unsigned 64-bit integers. */
public inline fun ColumnScope.uint64(
    name: String = "",
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
    value: (row: Int) -> ULong?,
) {
    fill(column(name, DataType.UINT64, nullable, metadata), value) { append(it.toLong()) }
}
