// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.DeviceArray
import org.arbalest.device.RecordBatch
import org.arbalest.device.columns.Column
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema

/** The names of the fields, in their order. */
public val Schema.names: List<String> get() = fields().map(Field::name)

/**
 * Returns the field with this name.
 *
 * @throws IllegalArgumentException if no field or several fields have this name; the message lists the names
 */
public operator fun Schema.get(name: String): Field =
    field(name) ?: throw IllegalArgumentException("the schema has no field \"$name\"; it has $names")

/**
 * Returns the column with this name, borrowed from the batch: `batch["delay"].longs()`.
 *
 * @throws IllegalArgumentException if no column or several columns have this name; the message lists the names
 */
public operator fun RecordBatch.get(name: String): Column = column(name)

/**
 * Returns a new handle to the stored child with this name, without a copy. The caller closes the handle; it may outlive
 * the batch. See [DeviceArray.retainChild].
 *
 * @throws IllegalArgumentException if no child or several children have this name; the message lists the names
 */
public fun DeviceArray.retainChild(name: String): DeviceArray {
    val names = field().type().children().map(Field::name)
    val index = names.indexOf(name)
    require(index >= 0 && index == names.lastIndexOf(name)) {
        "there ${if (index < 0) "is no child" else "are several children"} \"$name\"; there are $names"
    }
    return retainChild(index)
}

/** Returns whether at least one column has this name. */
public operator fun RecordBatch.contains(name: String): Boolean = name in schema()

/**
 * Joins arrays into one array on the device of the first. The caller keeps the arrays, and closes the result. Retain
 * the arrays of a stream first:
 *
 *     val kept = mutableListOf<RecordBatch>()
 *     try {
 *         reader.useArrays { for (batch in it) kept += batch.retain() }
 *         kept.concat().use { … }
 *     } finally {
 *         kept.forEach { it.close() }
 *     }
 *
 * @throws IllegalArgumentException if there are no arrays
 * @throws org.arbalest.device.DeviceException under the conditions of [DeviceArray.concat]
 */
public fun <A : DeviceArray> Iterable<A>.concat(): A = DeviceArray.concat(toList())

/**
 * The row indices, from 0: `for (row in batch.indices)`.
 *
 * @throws IllegalArgumentException if the number of rows exceeds `Int.MAX_VALUE`
 */
public val DeviceArray.indices: IntRange get() = 0 until countOf(length())

/**
 * Returns the field of a struct with this name, as a column of the same rows.
 *
 * @throws IllegalArgumentException if no field or several fields have this name; the message lists the names
 */
public operator fun Column.get(name: String): Column = column(name)

/** Returns the value of a row as an object, or null if the row is null. It is core's `get` with an `Int` index. */
public operator fun Column.get(row: Int): Any? = get(row.toLong())

/** Returns a number of rows as the `Int` that indexes Kotlin's arrays and ranges. */
internal fun countOf(rows: Long): Int {
    require(rows <= Int.MAX_VALUE) { "$rows rows are too many for an Int; view a slice of the array" }
    return rows.toInt()
}
