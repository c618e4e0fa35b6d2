package org.arbalest.coroutines

import org.arbalest.device.Column
import org.arbalest.device.DeviceArray
import org.arbalest.device.Field
import org.arbalest.device.Schema

/** The names of the fields, in order. */
public val Schema.names: List<String> get() = fields().map(Field::name)

/**
 * The first field of this name.
 *
 * @throws IllegalArgumentException if there is none; names those that are there
 */
public operator fun Schema.get(name: String): Field =
    field(name) ?: throw IllegalArgumentException("the schema has no field \"$name\"; it has $names")

/** Whether there is a field of this name. */
public operator fun Schema.contains(name: String): Boolean = indexOf(name) >= 0

/**
 * The first column of this name, borrowed from the batch: `batch["delay"].longs()`.
 *
 * @throws IllegalArgumentException if there is none; names those that are there
 */
public operator fun DeviceArray.get(name: String): Column = column(name)

/** Whether there is a column of this name. */
public operator fun DeviceArray.contains(name: String): Boolean = name in schema()

/**
 * The rows, from 0: `for (row in batch.rows)`.
 *
 * @throws IllegalArgumentException if there are more than an `Int` counts
 */
public val DeviceArray.rows: IntRange get() = 0 until countOf(length())

/**
 * The first field of a struct with this name, as a column of the same rows.
 *
 * @throws IllegalArgumentException if there is none; names those that are there
 */
public operator fun Column.get(name: String): Column = column(name)

/** The value of a row as an object, or null if the row is null; what core's `get` gives, by an `Int`. */
public operator fun Column.get(row: Int): Any? = get(row.toLong())

/** A number of rows as the `Int` that Kotlin's arrays and ranges count with. */
internal fun countOf(rows: Long): Int {
    require(rows <= Int.MAX_VALUE) { "$rows rows are too many for an Int; view a slice of the array" }
    return rows.toInt()
}
