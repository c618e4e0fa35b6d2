// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import java.math.BigDecimal

/** 32-bit decimals of at most 9 digits; see [decimal128]. */
public inline fun ColumnScope.decimal32(
    name: String = "",
    precision: Int,
    scale: Int,
    value: (row: Int) -> BigDecimal?,
) {
    fill(column(Field.of(name, DataType.decimal32(precision, scale))), value) { append(it) }
}

/** 32-bit decimals; elements may be null; as many as there are rows. */
public fun ColumnScope.decimal32(name: String = "", values: List<BigDecimal?>, precision: Int, scale: Int) {
    requireRows(name, values.size)
    decimal32(name, precision, scale) { values[it] }
}

/** 64-bit decimals of at most 18 digits; see [decimal128]. */
public inline fun ColumnScope.decimal64(
    name: String = "",
    precision: Int,
    scale: Int,
    value: (row: Int) -> BigDecimal?,
) {
    fill(column(Field.of(name, DataType.decimal64(precision, scale))), value) { append(it) }
}

/** 64-bit decimals; elements may be null; as many as there are rows. */
public fun ColumnScope.decimal64(name: String = "", values: List<BigDecimal?>, precision: Int, scale: Int) {
    requireRows(name, values.size)
    decimal64(name, precision, scale) { values[it] }
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
    value: (row: Int) -> BigDecimal?,
) {
    fill(column(Field.of(name, DataType.decimal128(precision, scale))), value) { append(it) }
}

/** 128-bit decimals, whose elements may be null; as many as there are rows. */
public fun ColumnScope.decimal128(name: String = "", values: List<BigDecimal?>, precision: Int, scale: Int) {
    requireRows(name, values.size)
    decimal128(name, precision, scale) { values[it] }
}

/** 256-bit decimals of at most 76 digits; see [decimal128]. */
public inline fun ColumnScope.decimal256(
    name: String = "",
    precision: Int,
    scale: Int,
    value: (row: Int) -> BigDecimal?,
) {
    fill(column(Field.of(name, DataType.decimal256(precision, scale))), value) { append(it) }
}

/** 256-bit decimals; elements may be null; as many as there are rows. */
public fun ColumnScope.decimal256(name: String = "", values: List<BigDecimal?>, precision: Int, scale: Int) {
    requireRows(name, values.size)
    decimal256(name, precision, scale) { values[it] }
}
