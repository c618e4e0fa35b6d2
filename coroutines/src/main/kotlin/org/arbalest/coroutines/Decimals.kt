// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import java.math.BigDecimal

/** Adds a column of 32-bit decimals of at most 9 digits; see [decimal128]. */
public inline fun ColumnScope.decimal32(
    name: String = "",
    precision: Int,
    scale: Int,
    value: (row: Int) -> BigDecimal?,
) {
    fill(column(Field.of(name, DataType.decimal32(precision, scale))), value) { append(it) }
}

/** Adds a column of 32-bit decimals. The list has one element for each row; elements may be null. */
public fun ColumnScope.decimal32(name: String = "", values: List<BigDecimal?>, precision: Int, scale: Int) {
    requireRows(name, values.size)
    decimal32(name, precision, scale) { values[it] }
}

/** Adds a column of 64-bit decimals of at most 18 digits; see [decimal128]. */
public inline fun ColumnScope.decimal64(
    name: String = "",
    precision: Int,
    scale: Int,
    value: (row: Int) -> BigDecimal?,
) {
    fill(column(Field.of(name, DataType.decimal64(precision, scale))), value) { append(it) }
}

/** Adds a column of 64-bit decimals. The list has one element for each row; elements may be null. */
public fun ColumnScope.decimal64(name: String = "", values: List<BigDecimal?>, precision: Int, scale: Int) {
    requireRows(name, values.size)
    decimal64(name, precision, scale) { values[it] }
}

/**
 * Adds a column of 128-bit decimals.
 *
 * @param precision the number of decimal digits, 1 to 38
 * @param scale the number of digits after the decimal point
 * @throws IllegalArgumentException if a value does not fit [precision] and [scale] exactly
 */
public inline fun ColumnScope.decimal128(
    name: String = "",
    precision: Int,
    scale: Int,
    value: (row: Int) -> BigDecimal?,
) {
    fill(column(Field.of(name, DataType.decimal128(precision, scale))), value) { append(it) }
}

/** Adds a column of 128-bit decimals. The list has one element for each row; elements may be null. */
public fun ColumnScope.decimal128(name: String = "", values: List<BigDecimal?>, precision: Int, scale: Int) {
    requireRows(name, values.size)
    decimal128(name, precision, scale) { values[it] }
}

/** Adds a column of 256-bit decimals of at most 76 digits; see [decimal128]. */
public inline fun ColumnScope.decimal256(
    name: String = "",
    precision: Int,
    scale: Int,
    value: (row: Int) -> BigDecimal?,
) {
    fill(column(Field.of(name, DataType.decimal256(precision, scale))), value) { append(it) }
}

/** Adds a column of 256-bit decimals. The list has one element for each row; elements may be null. */
public fun ColumnScope.decimal256(name: String = "", values: List<BigDecimal?>, precision: Int, scale: Int) {
    requireRows(name, values.size)
    decimal256(name, precision, scale) { values[it] }
}
