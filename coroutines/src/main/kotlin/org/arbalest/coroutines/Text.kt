// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.types.DataType
import org.arbalest.device.types.FlatType.FixedSizeBinaryType
import org.arbalest.device.types.FlatType.IntType
import org.arbalest.device.types.Metadata
import java.lang.foreign.MemorySegment
import java.util.function.IntPredicate

/** Text, with 32-bit offsets: 2 GiB in all. */
public inline fun ColumnScope.utf8(
    name: String = "",
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
    value: (row: Int) -> String?,
) {
    fill(column(name, DataType.UTF8, nullable, metadata), value) { append(it) }
}

/** Text, whose elements may be null; as many as there are rows. */
public fun ColumnScope.utf8(
    name: String = "",
    values: List<String?>,
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
) {
    requireRows(name, values.size)
    utf8(name, nullable, metadata) { values[it] }
}

/** Text, whose elements may be null; as many as there are rows. */
public fun ColumnScope.utf8(
    name: String = "",
    values: Array<out String?>,
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
) {
    utf8(name, values.asList(), nullable, metadata)
}

/** Text, with 64-bit offsets. */
public inline fun ColumnScope.largeUtf8(
    name: String = "",
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
    value: (row: Int) -> String?,
) {
    fill(column(name, DataType.LARGE_UTF8, nullable, metadata), value) { append(it) }
}

/** Text with 64-bit offsets, whose elements may be null; as many as there are rows. */
public fun ColumnScope.largeUtf8(
    name: String = "",
    values: List<String?>,
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
) {
    requireRows(name, values.size)
    largeUtf8(name, nullable, metadata) { values[it] }
}

/**
 * Text as views, of which those of up to 12 bytes need no other memory.
 *
 * @param bufferSize how many bytes the buffers have, at most, that longer texts share; a text that is longer than that has its own
 */
public inline fun ColumnScope.utf8View(
    name: String = "",
    bufferSize: Int = VIEW_BUFFER_SIZE,
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
    value: (row: Int) -> String?,
) {
    fill(column(name, DataType.UTF8_VIEW, nullable, metadata).viewBufferSize(bufferSize), value) { append(it) }
}

/** Text as views, whose elements may be null; as many as there are rows. */
public fun ColumnScope.utf8View(
    name: String = "",
    values: List<String?>,
    bufferSize: Int = VIEW_BUFFER_SIZE,
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
) {
    requireRows(name, values.size)
    utf8View(name, bufferSize, nullable, metadata) { values[it] }
}

/** Bytes as views; see [utf8View]. */
public inline fun ColumnScope.binaryView(
    name: String = "",
    bufferSize: Int = VIEW_BUFFER_SIZE,
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
    value: (row: Int) -> ByteArray?,
) {
    fill(column(name, DataType.BINARY_VIEW, nullable, metadata).viewBufferSize(bufferSize), value) { append(it) }
}

/** What core takes, too, if nothing is said. */
@PublishedApi
internal const val VIEW_BUFFER_SIZE: Int = 1 shl 20

/**
 * Text as indices into its distinct values, which are collected in the order of their first use.
 *
 * @param index the type of the indices
 * @param grows whether the indices become wider when there are more values than they count, instead of an error
 * @throws IllegalArgumentException if there are more distinct values than the indices can count
 */
public inline fun ColumnScope.dictionary(
    name: String = "",
    index: IntType = DataType.INT32,
    grows: Boolean = false,
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
    value: (row: Int) -> String?,
) {
    val column = column(name, DataType.dictionary(index, DataType.UTF8), nullable, metadata)
    if (grows) column.growIndices()
    fill(column, value) { append(it) }
}

/** Text as indices into its distinct values; elements may be null; as many as there are rows. */
public fun ColumnScope.dictionary(
    name: String = "",
    values: List<String?>,
    index: IntType = DataType.INT32,
    grows: Boolean = false,
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
) {
    requireRows(name, values.size)
    dictionary(name, index, grows, nullable, metadata) { values[it] }
}

/** Bytes, with 32-bit offsets: 2 GiB in all. */
public inline fun ColumnScope.binary(
    name: String = "",
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
    value: (row: Int) -> ByteArray?,
) {
    fill(column(name, DataType.BINARY, nullable, metadata), value) { append(it) }
}

/** Bytes, whose elements may be null; as many as there are rows. */
public fun ColumnScope.binary(
    name: String = "",
    values: List<ByteArray?>,
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
) {
    requireRows(name, values.size)
    binary(name, nullable, metadata) { values[it] }
}

/** Bytes, with 64-bit offsets. */
public inline fun ColumnScope.largeBinary(
    name: String = "",
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
    value: (row: Int) -> ByteArray?,
) {
    fill(column(name, DataType.LARGE_BINARY, nullable, metadata), value) { append(it) }
}

/** Bytes, [width] of them in each value; any other number is an [IllegalArgumentException]. */
public inline fun ColumnScope.fixedSizeBinary(
    name: String = "",
    width: Int,
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
    value: (row: Int) -> ByteArray?,
) {
    fill(column(name, FixedSizeBinaryType(width), nullable, metadata), value) { append(it) }
}

/** Bytes, [width] of them in each value, all in one array that is copied at once; null where [isNull]. */
public fun ColumnScope.fixedSizeBinary(
    name: String = "",
    width: Int,
    values: ByteArray,
    isNull: IntPredicate? = null,
    nullable: Boolean = true,
    metadata: Metadata = Metadata.empty(),
) {
    val column = column(name, FixedSizeBinaryType(width), nullable, metadata)
    column.appendAll(MemorySegment.ofArray(values)).nullWhere(isNull)
}
