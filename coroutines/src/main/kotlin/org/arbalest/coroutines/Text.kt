// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType.FixedSizeBinaryType
import org.arbalest.device.types.FlatType.IntType
import java.lang.foreign.MemorySegment
import java.util.function.IntPredicate

/** Text, with 32-bit offsets: 2 GiB in all. */
public inline fun ColumnScope.utf8(name: String = "", value: (row: Int) -> String?) {
    fill(column(Field.of(name, DataType.UTF8)), value) { append(it) }
}

/** Text, whose elements may be null; as many as there are rows. */
public fun ColumnScope.utf8(name: String = "", values: List<String?>) {
    requireRows(name, values.size)
    utf8(name) { values[it] }
}

/** Text, whose elements may be null; as many as there are rows. */
public fun ColumnScope.utf8(name: String = "", values: Array<out String?>) {
    utf8(name, values.asList())
}

/** Text, with 64-bit offsets. */
public inline fun ColumnScope.largeUtf8(name: String = "", value: (row: Int) -> String?) {
    fill(column(Field.of(name, DataType.LARGE_UTF8)), value) { append(it) }
}

/** Text with 64-bit offsets, whose elements may be null; as many as there are rows. */
public fun ColumnScope.largeUtf8(name: String = "", values: List<String?>) {
    requireRows(name, values.size)
    largeUtf8(name) { values[it] }
}

/**
 * Text as views, of which those of up to 12 bytes need no other memory.
 *
 * @param bufferSize how many bytes the buffers have, at most, that longer texts share; a text that is longer than that
 *     has its own
 */
public inline fun ColumnScope.utf8View(
    name: String = "",
    bufferSize: Int = VIEW_BUFFER_SIZE,
    value: (row: Int) -> String?,
) {
    fill(column(Field.of(name, DataType.UTF8_VIEW)).viewBufferSize(bufferSize), value) { append(it) }
}

/** Text as views, whose elements may be null; as many as there are rows. */
public fun ColumnScope.utf8View(name: String = "", values: List<String?>, bufferSize: Int = VIEW_BUFFER_SIZE) {
    requireRows(name, values.size)
    utf8View(name, bufferSize) { values[it] }
}

/** Bytes as views; see [utf8View]. */
public inline fun ColumnScope.binaryView(
    name: String = "",
    bufferSize: Int = VIEW_BUFFER_SIZE,
    value: (row: Int) -> ByteArray?,
) {
    fill(column(Field.of(name, DataType.BINARY_VIEW)).viewBufferSize(bufferSize), value) { append(it) }
}

/** Bytes as views; elements may be null; as many as there are rows. */
public fun ColumnScope.binaryView(name: String = "", values: List<ByteArray?>, bufferSize: Int = VIEW_BUFFER_SIZE) {
    requireRows(name, values.size)
    binaryView(name, bufferSize) { values[it] }
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
    value: (row: Int) -> String?,
) {
    val column = column(Field.of(name, DataType.dictionary(index, DataType.UTF8)))
    if (grows) column.growIndices()
    fill(column, value) { append(it) }
}

/** Text as indices into its distinct values; elements may be null; as many as there are rows. */
public fun ColumnScope.dictionary(
    name: String = "",
    values: List<String?>,
    index: IntType = DataType.INT32,
    grows: Boolean = false,
) {
    requireRows(name, values.size)
    dictionary(name, index, grows) { values[it] }
}

/** Bytes, with 32-bit offsets: 2 GiB in all. */
public inline fun ColumnScope.binary(name: String = "", value: (row: Int) -> ByteArray?) {
    fill(column(Field.of(name, DataType.BINARY)), value) { append(it) }
}

/** Bytes, whose elements may be null; as many as there are rows. */
public fun ColumnScope.binary(name: String = "", values: List<ByteArray?>) {
    requireRows(name, values.size)
    binary(name) { values[it] }
}

/** Bytes, with 64-bit offsets. */
public inline fun ColumnScope.largeBinary(name: String = "", value: (row: Int) -> ByteArray?) {
    fill(column(Field.of(name, DataType.LARGE_BINARY)), value) { append(it) }
}

/** Bytes with 64-bit offsets; elements may be null; as many as there are rows. */
public fun ColumnScope.largeBinary(name: String = "", values: List<ByteArray?>) {
    requireRows(name, values.size)
    largeBinary(name) { values[it] }
}

/** Bytes, [width] of them in each value; any other number is an [IllegalArgumentException]. */
public inline fun ColumnScope.fixedSizeBinary(name: String = "", width: Int, value: (row: Int) -> ByteArray?) {
    fill(column(Field.of(name, FixedSizeBinaryType(width))), value) { append(it) }
}

/** Bytes, [width] of them in each value; elements may be null; as many as there are rows. */
public fun ColumnScope.fixedSizeBinary(name: String = "", width: Int, values: List<ByteArray?>) {
    requireRows(name, values.size)
    fixedSizeBinary(name, width) { values[it] }
}

/** Bytes, [width] of them in each value, all in one array that is copied at once; null where [isNull]. */
public fun ColumnScope.fixedSizeBinary(name: String = "", width: Int, values: ByteArray, isNull: IntPredicate? = null) {
    val column = column(Field.of(name, FixedSizeBinaryType(width)))
    column.appendAll(MemorySegment.ofArray(values)).nullWhere(isNull)
}
