// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.types.DataType
import org.arbalest.device.types.Metadata
import java.math.BigDecimal

/** 32-bit decimals of at most 9 digits; see [decimal128]. */
public inline fun ColumnScope.decimal32(
    name: String = "",
    precision: Int,
    scale: Int,
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
    value: (row: Int) -> BigDecimal?,
) {
    fill(column(name, DataType.decimal32(precision, scale), nullable, metadata), value) { append(it) }
}

/** 64-bit decimals of at most 18 digits; see [decimal128]. */
public inline fun ColumnScope.decimal64(
    name: String = "",
    precision: Int,
    scale: Int,
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
    value: (row: Int) -> BigDecimal?,
) {
    fill(column(name, DataType.decimal64(precision, scale), nullable, metadata), value) { append(it) }
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
    requireRows(name, values.size)
    decimal128(name, precision, scale, nullable, metadata) { values[it] }
}

/** 256-bit decimals of at most 76 digits; see [decimal128]. */
public inline fun ColumnScope.decimal256(
    name: String = "",
    precision: Int,
    scale: Int,
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
    value: (row: Int) -> BigDecimal?,
) {
    fill(column(name, DataType.decimal256(precision, scale), nullable, metadata), value) { append(it) }
}
