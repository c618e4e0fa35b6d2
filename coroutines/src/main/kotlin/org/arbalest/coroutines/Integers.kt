// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.types.DataType
import org.arbalest.device.types.Metadata
import java.util.function.IntPredicate

/** 8-bit integers, in one copy; null where [isNull]. */
public fun ColumnScope.int8(
    name: String = "",
    values: ByteArray,
    isNull: IntPredicate? = null,
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
) {
    column(name, DataType.INT8, nullable, metadata).appendAll(values).nullWhere(isNull)
}

/** 8-bit integers. */
public inline fun ColumnScope.int8(
    name: String = "",
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
    value: (row: Int) -> Byte?,
) {
    fill(column(name, DataType.INT8, nullable, metadata), value) { append(it.toLong()) }
}

/** 16-bit integers, in one copy; null where [isNull]. */
public fun ColumnScope.int16(
    name: String = "",
    values: ShortArray,
    isNull: IntPredicate? = null,
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
) {
    column(name, DataType.INT16, nullable, metadata).appendAll(values).nullWhere(isNull)
}

/** 16-bit integers. */
public inline fun ColumnScope.int16(
    name: String = "",
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
    value: (row: Int) -> Short?,
) {
    fill(column(name, DataType.INT16, nullable, metadata), value) { append(it.toLong()) }
}

/** 32-bit integers, in one copy; null where [isNull]. */
public fun ColumnScope.int32(
    name: String = "",
    values: IntArray,
    isNull: IntPredicate? = null,
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
) {
    column(name, DataType.INT32, nullable, metadata).appendAll(values).nullWhere(isNull)
}

/** 32-bit integers, whose elements may be null; as many as there are rows. */
public fun ColumnScope.int32(
    name: String = "",
    values: List<Int?>,
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
) {
    requireRows(name, values.size)
    int32(name, nullable, metadata) { values[it] }
}

/** 32-bit integers. */
public inline fun ColumnScope.int32(
    name: String = "",
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
    value: (row: Int) -> Int?,
) {
    fill(column(name, DataType.INT32, nullable, metadata), value) { append(it.toLong()) }
}

/** 64-bit integers, in one copy; null where [isNull]. */
public fun ColumnScope.int64(
    name: String = "",
    values: LongArray,
    isNull: IntPredicate? = null,
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
) {
    column(name, DataType.INT64, nullable, metadata).appendAll(values).nullWhere(isNull)
}

/** 32-bit integers as 64-bit ones; null where [isNull]. */
public fun ColumnScope.int64(
    name: String = "",
    values: IntArray,
    isNull: IntPredicate? = null,
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
) {
    column(name, DataType.INT64, nullable, metadata).appendAll(values).nullWhere(isNull)
}

/** 64-bit integers, whose elements may be null; as many as there are rows. */
public fun ColumnScope.int64(
    name: String = "",
    values: List<Long?>,
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
) {
    requireRows(name, values.size)
    int64(name, nullable, metadata) { values[it] }
}

/** 64-bit integers. */
public inline fun ColumnScope.int64(
    name: String = "",
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
    value: (row: Int) -> Long?,
) {
    fill(column(name, DataType.INT64, nullable, metadata), value) { append(it) }
}
