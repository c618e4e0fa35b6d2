// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.Device
import org.arbalest.device.DeviceArray
import org.arbalest.device.MemoryManager
import org.arbalest.device.objects.Records
import org.arbalest.device.types.Schema

/**
 * The rows as objects of a data class or a record, matched by name; each is read when it is asked for. Borrowed: the
 * list can be used while the batch is open.
 *
 *     data class Flight(val carrier: String, val delay: Int, val distance: Double?, val cancelled: Boolean = false)
 *
 *     for (flight in batch.rows<Flight>()) delays += flight.delay
 *
 * A property without a column has its default, if the constructor has one. A null in place of what is not nullable, an
 * element of a list too, is a [NoSuchElementException] that names the row and the property.
 * `Records.of(Flight::class.java).strict()` refuses columns without a property.
 *
 * @throws IllegalArgumentException if properties and columns do not match: says all that does not
 */
public inline fun <reified T : Any> DeviceArray.rows(): List<T> = Records.of(T::class.java).rows(this)

/** The rows as objects, all read now: a list that can be kept; see [rows]. */
public inline fun <reified T : Any> DeviceArray.toList(): List<T> = Records.of(T::class.java).toList(this)

/** The columns that objects of a data class or a record are built as; see [Records.schema]. */
public inline fun <reified T : Any> schemaOf(): Schema = Records.of(T::class.java).schema()

/**
 * Builds a record batch of objects in this device's memory; the caller closes it.
 *
 *     device.batch(flights).use { … }
 *
 * @param schema other columns than [schemaOf] says: in another order, with other units, widths, encodings. Nothing is
 *     rounded
 * @throws IllegalArgumentException if a value is one that its column does not have: says which, and in which row
 */
public inline fun <reified T : Any> Device.batch(rows: Collection<T>, schema: Schema = schemaOf<T>()): DeviceArray =
    memory().batch(rows, schema)

/** Builds a record batch of objects in this memory; see [Device.batch]. */
public inline fun <reified T : Any> MemoryManager.batch(
    rows: Collection<T>,
    schema: Schema = schemaOf<T>(),
): DeviceArray =
    Records.of(T::class.java).build(this, schema, rows)
