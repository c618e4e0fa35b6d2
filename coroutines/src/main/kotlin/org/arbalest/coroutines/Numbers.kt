// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.types.DataType
import org.arbalest.device.types.Metadata
import org.arbalest.device.types.NestedType.StructType
import java.util.function.IntPredicate

/** Nothing but nulls, of any type; of what is nested, its parts too. */
public fun ColumnScope.nulls(name: String = "", type: DataType = DataType.NULL, metadata: Metadata = Metadata.empty()) {
    val column = column(name, type, nullable = true, metadata)
    if (type is StructType) repeat(rows) { column.appendNullWithParts() } else column.appendNulls(rows.toLong())
}

/** Booleans; null where [isNull]. */
public fun ColumnScope.bool(
    name: String = "",
    values: BooleanArray,
    isNull: IntPredicate? = null,
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
) {
    column(name, DataType.BOOL, nullable, metadata).appendAll(values).nullWhere(isNull)
}

/** Booleans, whose elements may be null; as many as there are rows. */
public fun ColumnScope.bool(
    name: String = "",
    values: List<Boolean?>,
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
) {
    requireRows(name, values.size)
    bool(name, nullable, metadata) { values[it] }
}

/** Booleans. */
public inline fun ColumnScope.bool(
    name: String = "",
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
    value: (row: Int) -> Boolean?,
) {
    fill(column(name, DataType.BOOL, nullable, metadata), value) { append(it) }
}

/** 16-bit floats, rounded to the nearest; null where [isNull]. */
public fun ColumnScope.float16(
    name: String = "",
    values: FloatArray,
    isNull: IntPredicate? = null,
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
) {
    column(name, DataType.FLOAT16, nullable, metadata).appendAll(values).nullWhere(isNull)
}

/** 16-bit floats, rounded to the nearest. */
public inline fun ColumnScope.float16(
    name: String = "",
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
    value: (row: Int) -> Float?,
) {
    fill(column(name, DataType.FLOAT16, nullable, metadata), value) { append(it.toDouble()) }
}

/** 32-bit floats, in one copy; null where [isNull]. */
public fun ColumnScope.float32(
    name: String = "",
    values: FloatArray,
    isNull: IntPredicate? = null,
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
) {
    column(name, DataType.FLOAT32, nullable, metadata).appendAll(values).nullWhere(isNull)
}

/** 32-bit floats. */
public inline fun ColumnScope.float32(
    name: String = "",
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
    value: (row: Int) -> Float?,
) {
    fill(column(name, DataType.FLOAT32, nullable, metadata), value) { append(it.toDouble()) }
}

/** 64-bit floats, in one copy; null where [isNull]. */
public fun ColumnScope.float64(
    name: String = "",
    values: DoubleArray,
    isNull: IntPredicate? = null,
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
) {
    column(name, DataType.FLOAT64, nullable, metadata).appendAll(values).nullWhere(isNull)
}

/** 32-bit floats as 64-bit ones; null where [isNull]. */
public fun ColumnScope.float64(
    name: String = "",
    values: FloatArray,
    isNull: IntPredicate? = null,
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
) {
    column(name, DataType.FLOAT64, nullable, metadata).appendAll(values).nullWhere(isNull)
}

/** 32-bit integers as 64-bit floats, which have them all; null where [isNull]. */
public fun ColumnScope.float64(
    name: String = "",
    values: IntArray,
    isNull: IntPredicate? = null,
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
) {
    column(name, DataType.FLOAT64, nullable, metadata).appendAll(values).nullWhere(isNull)
}

/** 64-bit floats, whose elements may be null; as many as there are rows. */
public fun ColumnScope.float64(
    name: String = "",
    values: List<Double?>,
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
) {
    requireRows(name, values.size)
    float64(name, nullable, metadata) { values[it] }
}

/** 64-bit floats. */
public inline fun ColumnScope.float64(
    name: String = "",
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
    value: (row: Int) -> Double?,
) {
    fill(column(name, DataType.FLOAT64, nullable, metadata), value) { append(it) }
}
