// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.builders.ColumnBuilder
import org.arbalest.device.objects.ExtensionCodec
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Extension
import org.arbalest.device.types.Field
import org.arbalest.device.types.Metadata
import org.arbalest.device.types.TimeUnit
import java.time.OffsetDateTime
import java.time.temporal.ChronoUnit
import java.util.UUID
import java.util.function.IntPredicate
import kotlin.contracts.ExperimentalContracts
import kotlin.contracts.InvocationKind.EXACTLY_ONCE
import kotlin.contracts.contract

/** UUIDs: `arrow.uuid`. */
public inline fun ColumnScope.uuid(
    name: String = "",
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
    value: (row: Int) -> UUID?,
) {
    fill(extended(Extension.uuid(name), nullable, metadata), value) { append(it) }
}

/** Booleans of 8 bits each: `arrow.bool8`; null where [isNull]. */
public fun ColumnScope.bool8(
    name: String = "",
    values: BooleanArray,
    isNull: IntPredicate? = null,
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
) {
    extended(Extension.bool8(name), nullable, metadata).appendAll(values).nullWhere(isNull)
}

/** Booleans of 8 bits each: `arrow.bool8`. */
public inline fun ColumnScope.bool8(
    name: String = "",
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
    value: (row: Int) -> Boolean?,
) {
    fill(extended(Extension.bool8(name), nullable, metadata), value) { append(it) }
}

/** JSON as utf8: `arrow.json`. Nobody parses it here. */
public inline fun ColumnScope.json(
    name: String = "",
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
    value: (row: Int) -> String?,
) {
    fill(extended(Extension.json(name), nullable, metadata), value) { append(it) }
}

/**
 * Points in time, rounded down to the [unit], each with its offset from UTC: `arrow.timestamp_with_offset`.
 *
 * @throws IllegalArgumentException if an offset is not of whole minutes from -12:59 to +13:00; says the column, the row and the value
 */
public inline fun ColumnScope.timestampWithOffset(
    name: String = "",
    unit: TimeUnit = TimeUnit.MICROSECOND,
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
    value: (row: Int) -> OffsetDateTime?,
) {
    val column = extended(Extension.timestampWithOffset(name, unit), nullable, metadata)
    for (row in 0 until rows) {
        val time = value(row)
        if (time == null) column.appendNullWithParts() else column.append(time.truncatedTo(unit.chronoUnit))
    }
}

/** Values of an extension type of one's own, which [codec] writes. */
public inline fun <T : Any> ColumnScope.extension(
    name: String = "",
    codec: ExtensionCodec<T>,
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
    value: (row: Int) -> T?,
) {
    val column = extended(codec.field(name), nullable, metadata)
    for (row in 0 until rows) {
        val written = value(row)
        if (written == null) column.appendNullWithParts() else codec.append(column, written)
    }
}

/**
 * Tensors of one [shape], `arrow.fixed_shape_tensor`, whose elements in row-major order are the one column that [elements] adds:
 *
 *     fixedShapeTensor("image", listOf(480, 640, 3), dimNames = listOf("H", "W", "C")) { uint8(values = pixels) }
 *
 * @param shape the sizes of the dimensions as they are stored
 * @param dimNames the names of these dimensions; empty for none
 * @param permutation which stored dimension each of the logical ones is; empty if they are in order
 * @param isNull which tensors are null; they have elements, too
 */
@OptIn(ExperimentalContracts::class)
public inline fun ColumnScope.fixedShapeTensor(
    name: String = "",
    shape: List<Int>,
    dimNames: List<String> = emptyList(),
    permutation: List<Int> = emptyList(),
    isNull: IntPredicate? = null,
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
    elements: ColumnScope.() -> Unit,
) {
    contract { callsInPlace(elements, EXACTLY_ONCE) }
    val field = Extension.fixedShapeTensor(name, DataType.NULL, *shape.toIntArray()).withExtension(Extension.FixedShapeTensor(shape, dimNames, permutation))
    val column = extended(field, nullable, metadata)
    val size = elementsOf(shape)
    repeat(rows) { column.appendList(size) }
    if (isNull != null) column.setNulls(isNull)
    ColumnScope.ofList(Math.multiplyExact(rows, size), column).elements()
}

/**
 * Tensors with a shape each, `arrow.variable_shape_tensor`, whose elements, those of all tensors one behind the other, are the one column that [elements] adds:
 *
 *     variableShapeTensor("image", dimensions = 3, { row -> images[row].shape }) { uint8(values = pixels) }
 *
 * @param dimensions how many each tensor has
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
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
    elements: ColumnScope.() -> Unit,
) {
    contract { callsInPlace(elements, EXACTLY_ONCE) }
    val field = Extension.variableShapeTensor(name, DataType.NULL, dimensions)
        .withExtension(Extension.VariableShapeTensor(dimNames, permutation, uniformShape))
    val column = extended(field, nullable, metadata)
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

/** Adds a column of an extension type, which further metadata leaves as it is. */
@PublishedApi
internal fun ColumnScope.extended(field: Field, nullable: Boolean, metadata: Metadata): ColumnBuilder {
    val all = field.metadata().entries().fold(metadata) { sum, pair -> sum.with(pair.keyBytes(), pair.valueBytes()) }
    return column(field.withNullable(nullable).withMetadata(all))
}

/** The number of elements of a tensor whose shape was looked at. */
@PublishedApi
internal fun elementsOf(shape: List<Int>): Int = if (0 in shape) 0 else shape.fold(1, Math::multiplyExact)

@PublishedApi
internal val TimeUnit.chronoUnit: ChronoUnit
    get() = when (this) {
        TimeUnit.SECOND -> ChronoUnit.SECONDS
        TimeUnit.MILLISECOND -> ChronoUnit.MILLIS
        TimeUnit.MICROSECOND -> ChronoUnit.MICROS
        TimeUnit.NANOSECOND -> ChronoUnit.NANOS
    }
