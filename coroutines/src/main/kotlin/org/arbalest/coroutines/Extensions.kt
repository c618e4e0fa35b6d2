// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.objects.ExtensionCodec
import org.arbalest.device.types.ArrowTimeUnit
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Extension
import org.arbalest.device.types.Field
import java.time.OffsetDateTime
import java.time.temporal.ChronoUnit
import java.util.UUID
import java.util.function.IntPredicate
import kotlin.contracts.ExperimentalContracts
import kotlin.contracts.InvocationKind.EXACTLY_ONCE
import kotlin.contracts.contract

/** Adds a column of UUIDs (`arrow.uuid`). */
public inline fun ColumnScope.uuid(name: String = "", value: (row: Int) -> UUID?) {
    fill(column(Field.uuid(name)), value) { append(it) }
}

/** Adds a column of UUIDs (`arrow.uuid`). The list has one element for each row; elements may be null. */
public fun ColumnScope.uuid(name: String = "", values: List<UUID?>) {
    requireRows(name, values.size)
    uuid(name) { values[it] }
}

/** Adds a column of booleans of 8 bits each (`arrow.bool8`). Rows for which [isNull] returns true are null. */
public fun ColumnScope.bool8(name: String = "", values: BooleanArray, isNull: IntPredicate? = null) {
    column(Field.bool8(name)).appendAll(values).nullWhere(isNull)
}

/** Adds a column of booleans of 8 bits each (`arrow.bool8`). */
public inline fun ColumnScope.bool8(name: String = "", value: (row: Int) -> Boolean?) {
    fill(column(Field.bool8(name)), value) { append(it) }
}

/**
 * Adds a column of booleans of 8 bits each (`arrow.bool8`). The list has one element for each row; elements may be
 * null.
 */
public fun ColumnScope.bool8(name: String = "", values: List<Boolean?>) {
    requireRows(name, values.size)
    bool8(name) { values[it] }
}

/** Adds a column of JSON as utf8 (`arrow.json`). The JSON is not checked. */
public inline fun ColumnScope.json(name: String = "", value: (row: Int) -> String?) {
    fill(column(Field.json(name)), value) { append(it) }
}

/** Adds a column of JSON as utf8 (`arrow.json`). The list has one element for each row; elements may be null. */
public fun ColumnScope.json(name: String = "", values: List<String?>) {
    requireRows(name, values.size)
    json(name) { values[it] }
}

/**
 * Adds a column of points in time (`arrow.timestamp_with_offset`), rounded down to the [unit], each with its offset
 * from UTC.
 *
 * @throws IllegalArgumentException if an offset is not in whole minutes from -12:59 to +13:00; the message names the
 *     column, the row and the value
 */
public inline fun ColumnScope.timestampWithOffset(
    name: String = "",
    unit: ArrowTimeUnit = ArrowTimeUnit.MICROSECOND,
    value: (row: Int) -> OffsetDateTime?,
) {
    val column = column(Field.timestampWithOffset(name, unit))
    for (row in 0 until rows) {
        val time = value(row)
        if (time == null) column.appendNullWithParts() else column.append(time.truncatedTo(unit.chronoUnit))
    }
}

/**
 * Adds a column of points in time with their offset, rounded down to the [unit]. The list has one element for each row;
 * elements may be null.
 */
public fun ColumnScope.timestampWithOffset(
    name: String = "",
    values: List<OffsetDateTime?>,
    unit: ArrowTimeUnit = ArrowTimeUnit.MICROSECOND,
) {
    requireRows(name, values.size)
    timestampWithOffset(name, unit) { values[it] }
}

/** Adds a column of values of an application's own extension type, which [codec] writes. */
public inline fun <T : Any> ColumnScope.extension(
    name: String = "",
    codec: ExtensionCodec<T>,
    value: (row: Int) -> T?,
) {
    val column = column(codec.field(name))
    for (row in 0 until rows) {
        val written = value(row)
        if (written == null) column.appendNullWithParts() else codec.append(column, written)
    }
}

/**
 * Adds a column of values of an application's own extension type, which [codec] writes. The list has one element for
 * each row; elements may be null.
 */
public fun <T : Any> ColumnScope.extension(name: String = "", codec: ExtensionCodec<T>, values: List<T?>) {
    requireRows(name, values.size)
    extension(name, codec) { values[it] }
}

/**
 * Adds a column of tensors of one [shape] (`arrow.fixed_shape_tensor`). [elements] adds the one column of their
 * elements, in row-major order:
 *
 *     fixedShapeTensor("image", listOf(480, 640, 3), dimNames = listOf("H", "W", "C")) { uint8(values = pixels) }
 *
 * @param shape the sizes of the dimensions in storage order
 * @param dimNames the names of these dimensions; empty for no names
 * @param permutation for each logical dimension, the index of its stored dimension; empty if both orders are the same
 * @param isNull returns whether a tensor is null; a null tensor has elements too
 */
@OptIn(ExperimentalContracts::class)
public inline fun ColumnScope.fixedShapeTensor(
    name: String = "",
    shape: List<Int>,
    dimNames: List<String> = emptyList(),
    permutation: List<Int> = emptyList(),
    isNull: IntPredicate? = null,
    elements: ColumnScope.() -> Unit,
) {
    contract { callsInPlace(elements, EXACTLY_ONCE) }
    val field = Field.fixedShapeTensor(name, DataType.NULL, *shape.toIntArray())
        .withExtension(Extension.FixedShapeTensor(shape, dimNames, permutation))
    val column = column(field)
    val size = elementsOf(shape)
    repeat(rows) { column.appendList(size) }
    if (isNull != null) column.setNulls(isNull)
    ColumnScope.ofList(Math.multiplyExact(rows, size), column).elements()
}

/**
 * Adds a column of tensors that each have their own shape (`arrow.variable_shape_tensor`). [elements] adds the one
 * column of the elements of all tensors, one tensor after the other:
 *
 *     variableShapeTensor("image", dimensions = 3, { row -> images[row].shape }) { uint8(values = pixels) }
 *
 * @param dimensions the number of dimensions of each tensor
 * @param shapes the shape of a row, or null for a null, which has no elements
 */
@OptIn(ExperimentalContracts::class)
public inline fun ColumnScope.variableShapeTensor(
    name: String = "",
    dimensions: Int,
    shapes: (row: Int) -> IntArray?,
    dimNames: List<String> = emptyList(),
    permutation: List<Int> = emptyList(),
    uniformShape: List<Int?> = emptyList(),
    elements: ColumnScope.() -> Unit,
) {
    contract { callsInPlace(elements, EXACTLY_ONCE) }
    val field = Field.variableShapeTensor(name, DataType.NULL, dimensions)
        .withExtension(Extension.VariableShapeTensor(dimNames, permutation, uniformShape))
    val column = column(field)
    var size = 0
    for (row in 0 until rows) {
        val shape = shapes(row)
        if (shape == null) {
            column.appendNullWithParts()
        } else {
            column.appendTensor(*shape)
            size = Math.addExact(size, elementsOf(shape.asList()))
        }
    }
    ColumnScope.ofList(size, column.child("data")).elements()
}

/** Returns the number of elements of a tensor whose shape is already validated. */
@PublishedApi
internal fun elementsOf(shape: List<Int>): Int = if (0 in shape) 0 else shape.fold(1, Math::multiplyExact)

@PublishedApi
internal val ArrowTimeUnit.chronoUnit: ChronoUnit
    get() = when (this) {
        ArrowTimeUnit.SECOND -> ChronoUnit.SECONDS
        ArrowTimeUnit.MILLISECOND -> ChronoUnit.MILLIS
        ArrowTimeUnit.MICROSECOND -> ChronoUnit.MICROS
        ArrowTimeUnit.NANOSECOND -> ChronoUnit.NANOS
    }
