package org.arbalest.coroutines

import org.arbalest.device.DataType
import org.arbalest.device.Metadata
import java.math.BigDecimal
import java.util.function.IntPredicate

/** Nothing but nulls. */
public fun ColumnScope.nulls(name: String = "", metadata: Metadata = Metadata.empty()) {
    val column = column(name, DataType.NULL, nullable = true, metadata)
    repeat(rows) { column.appendNull() }
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

/** 64-bit floats. */
public inline fun ColumnScope.float64(
    name: String = "",
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
    value: (row: Int) -> Double?,
) {
    fill(column(name, DataType.FLOAT64, nullable, metadata), value) { append(it) }
}

/**
 * 128-bit decimals.
 *
 * @param precision the number of decimal digits, 1 to 38
 * @param scale the number of digits after the point
 * @throws IllegalArgumentException if a value does not fit both exactly
 */
public inline fun ColumnScope.decimal128(
    name: String = "",
    precision: Int,
    scale: Int,
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
    value: (row: Int) -> BigDecimal?,
) {
    fill(column(name, DataType.decimal128(precision, scale), nullable, metadata), value) { append(it) }
}

/** 128-bit decimals, whose elements may be null; as many as there are rows. */
public fun ColumnScope.decimal128(
    name: String = "",
    values: List<BigDecimal?>,
    precision: Int,
    scale: Int,
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
) {
    requireRows(values.size)
    decimal128(name, precision, scale, nullable, metadata) { values[it] }
}
