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
 * @throws NoSuchElementException if there is none; names those that are there
 */
public operator fun Schema.get(name: String): Field =
    field(name) ?: throw NoSuchElementException("the schema has no field \"$name\"; it has $names")

/** Whether there is a field of this name. */
public operator fun Schema.contains(name: String): Boolean = indexOf(name) >= 0

/**
 * The first column of this name, borrowed from the batch: `batch["delay"].longs()`.
 *
 * @throws IllegalArgumentException if there is none; names those that are there
 */
public operator fun DeviceArray.get(name: String): Column = column(name)

/**
 * The first field of a struct with this name, as a column of the same rows.
 *
 * @throws IllegalArgumentException if there is none; names those that are there
 */
public operator fun Column.get(name: String): Column = column(name)
