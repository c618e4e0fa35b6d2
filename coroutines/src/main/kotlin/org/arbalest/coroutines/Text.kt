// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType.FixedSizeBinaryType
import org.arbalest.device.types.FlatType.IntType
import java.lang.foreign.MemorySegment
import java.util.function.IntPredicate

/** Adds a column of text with 32-bit offsets: at most 2 GiB in total. */
public inline fun ColumnScope.utf8(name: String = "", value: (row: Int) -> String?) {
    fill(column(Field.of(name, DataType.UTF8)), value) { append(it) }
}

/** Adds a column of text. The list has one element for each row; elements may be null. */
public fun ColumnScope.utf8(name: String = "", values: List<String?>) {
    requireRows(name, values.size)
    utf8(name) { values[it] }
}

/** Adds a column of text. The list has one element for each row; elements may be null. */
public fun ColumnScope.utf8(name: String = "", values: Array<out String?>) {
    utf8(name, values.asList())
}

/** Adds a column of text with 64-bit offsets. */
public inline fun ColumnScope.largeUtf8(name: String = "", value: (row: Int) -> String?) {
    fill(column(Field.of(name, DataType.LARGE_UTF8)), value) { append(it) }
}

/** Adds a column of text with 64-bit offsets. The list has one element for each row; elements may be null. */
public fun ColumnScope.largeUtf8(name: String = "", values: List<String?>) {
    requireRows(name, values.size)
    largeUtf8(name) { values[it] }
}

/**
 * Adds a column of text views. A text of up to 12 bytes needs no other memory.
 *
 * @param bufferSize the maximum size in bytes of the buffers that longer texts share; a text that is longer than that
 *     has its own buffer
 */
public inline fun ColumnScope.utf8View(
    name: String = "",
    bufferSize: Int = VIEW_BUFFER_SIZE,
    value: (row: Int) -> String?,
) {
    fill(column(Field.of(name, DataType.UTF8_VIEW)).viewBufferSize(bufferSize), value) { append(it) }
}

/** Adds a column of text views. The list has one element for each row; elements may be null. */
public fun ColumnScope.utf8View(name: String = "", values: List<String?>, bufferSize: Int = VIEW_BUFFER_SIZE) {
    requireRows(name, values.size)
    utf8View(name, bufferSize) { values[it] }
}

/** Adds a column of binary views; see [utf8View]. */
public inline fun ColumnScope.binaryView(
    name: String = "",
    bufferSize: Int = VIEW_BUFFER_SIZE,
    value: (row: Int) -> ByteArray?,
) {
    fill(column(Field.of(name, DataType.BINARY_VIEW)).viewBufferSize(bufferSize), value) { append(it) }
}

/** Adds a column of binary views. The list has one element for each row; elements may be null. */
public fun ColumnScope.binaryView(name: String = "", values: List<ByteArray?>, bufferSize: Int = VIEW_BUFFER_SIZE) {
    requireRows(name, values.size)
    binaryView(name, bufferSize) { values[it] }
}

/** Core's default for the size of view buffers. */
@PublishedApi
internal const val VIEW_BUFFER_SIZE: Int = 1 shl 20

/**
 * Adds a column of text, stored as indices into its distinct values in the order of their first use.
 *
 * @param index the type of the indices
 * @param grows whether the indices become wider, instead of an error, when there are more values than they can count
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

/**
 * Adds a column of text, stored as indices into its distinct values. The list has one element for each row; elements
 * may be null.
 */
public fun ColumnScope.dictionary(
    name: String = "",
    values: List<String?>,
    index: IntType = DataType.INT32,
    grows: Boolean = false,
) {
    requireRows(name, values.size)
    dictionary(name, index, grows) { values[it] }
}

/** Adds a column of bytes with 32-bit offsets: at most 2 GiB in total. */
public inline fun ColumnScope.binary(name: String = "", value: (row: Int) -> ByteArray?) {
    fill(column(Field.of(name, DataType.BINARY)), value) { append(it) }
}

/** Adds a column of bytes. The list has one element for each row; elements may be null. */
public fun ColumnScope.binary(name: String = "", values: List<ByteArray?>) {
    requireRows(name, values.size)
    binary(name) { values[it] }
}

/** Adds a column of bytes with 64-bit offsets. */
public inline fun ColumnScope.largeBinary(name: String = "", value: (row: Int) -> ByteArray?) {
    fill(column(Field.of(name, DataType.LARGE_BINARY)), value) { append(it) }
}

/** Adds a column of bytes with 64-bit offsets. The list has one element for each row; elements may be null. */
public fun ColumnScope.largeBinary(name: String = "", values: List<ByteArray?>) {
    requireRows(name, values.size)
    largeBinary(name) { values[it] }
}

/**
 * Adds a column of values of [width] bytes each.
 *
 * @throws IllegalArgumentException if a value has another length
 */
public inline fun ColumnScope.fixedSizeBinary(name: String = "", width: Int, value: (row: Int) -> ByteArray?) {
    fill(column(Field.of(name, FixedSizeBinaryType(width))), value) { append(it) }
}

/** Adds a column of values of [width] bytes each. The list has one element for each row; elements may be null. */
public fun ColumnScope.fixedSizeBinary(name: String = "", width: Int, values: List<ByteArray?>) {
    requireRows(name, values.size)
    fixedSizeBinary(name, width) { values[it] }
}

/**
 * Adds a column of values of [width] bytes each, in one bulk copy of one array. Rows for which [isNull] returns true
 * are null.
 */
public fun ColumnScope.fixedSizeBinary(name: String = "", width: Int, values: ByteArray, isNull: IntPredicate? = null) {
    val column = column(Field.of(name, FixedSizeBinaryType(width)))
    column.appendAll(MemorySegment.ofArray(values)).nullWhere(isNull)
}
