// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.DeviceArray
import org.arbalest.device.columns.Column
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema

/** The names of the fields, in order. */
public val Schema.names: List<String> get() = fields().map(Field::name)

/**
 * The field of this name.
 *
 * @throws IllegalArgumentException if there is none, or several: says which there are
 */
public operator fun Schema.get(name: String): Field =
    field(name) ?: throw IllegalArgumentException("the schema has no field \"$name\"; it has $names")

/**
 * The column of this name, borrowed from the batch: `batch["delay"].longs()`.
 *
 * @throws IllegalArgumentException if there is none, or several: says which there are
 */
public operator fun DeviceArray.get(name: String): Column = column(name)

/**
 * One more handle, of the child with this name, as it is stored, without a copy. The caller closes it; it may outlive
 * the batch. See [DeviceArray.retainChild].
 *
 * @throws IllegalArgumentException if there is none, or several; the message lists the names
 */
public fun DeviceArray.retainChild(name: String): DeviceArray {
    val names = field().type().children().map(Field::name)
    val index = names.indexOf(name)
    require(index >= 0 && index == names.lastIndexOf(name)) {
        "there ${if (index < 0) "is no child" else "are several children"} \"$name\"; there are $names"
    }
    return retainChild(index)
}

/** Whether there is a column of this name, or several. */
public operator fun DeviceArray.contains(name: String): Boolean = name in schema()

/**
 * Joins arrays to one on the device of the first. They stay the caller's, and so is the result; what a stream lends is
 * retained first:
 *
 *     val kept = mutableListOf<DeviceArray>()
 *     try {
 *         reader.useArrays { for (batch in it) kept += batch.retain() }
 *         kept.concat().use { … }
 *     } finally {
 *         kept.forEach { it.close() }
 *     }
 *
 * @throws IllegalArgumentException if there are none
 * @throws org.arbalest.device.DeviceException as [DeviceArray.concat] says
 */
public fun Iterable<DeviceArray>.concat(): DeviceArray = DeviceArray.concat(toList())

/**
 * The rows, from 0: `for (row in batch.indices)`.
 *
 * @throws IllegalArgumentException if there are more than an `Int` counts
 */
public val DeviceArray.indices: IntRange get() = 0 until countOf(length())

/**
 * The field of a struct with this name, as a column of the same rows.
 *
 * @throws IllegalArgumentException if there is none, or several: says which there are
 */
public operator fun Column.get(name: String): Column = column(name)

/** The value of a row as an object, or null if the row is null; what core's `get` gives, by an `Int`. */
public operator fun Column.get(row: Int): Any? = get(row.toLong())

/** A number of rows as the `Int` that Kotlin's arrays and ranges count with. */
internal fun countOf(rows: Long): Int {
    require(rows <= Int.MAX_VALUE) { "$rows rows are too many for an Int; view a slice of the array" }
    return rows.toInt()
}
