// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.Device
import org.arbalest.device.MemoryManager
import org.arbalest.device.RecordBatch
import org.arbalest.device.objects.Records
import org.arbalest.device.types.Schema

/**
 * Returns the rows as objects of a data class or a record, whose properties match columns by name. Each row is read
 * when it is accessed. The list is borrowed: it is valid while the batch is open.
 *
 *     data class Flight(val carrier: String, val delay: Int, val distance: Double?, val cancelled: Boolean = false)
 *
 *     for (flight in batch.rows<Flight>()) delays += flight.delay
 *
 * A property without a column has its default, if the constructor has one. A null for a non-nullable property or a
 * non-nullable list element is a [NoSuchElementException] that names the row and the property.
 * `Records.of(Flight::class.java).strict()` rejects columns without a property.
 *
 * @throws IllegalArgumentException if properties and columns do not match; the message lists all differences
 */
public inline fun <reified T : Any> RecordBatch.rows(): List<T> = Records.of(T::class.java).rows(this)

/** Reads all rows now, and returns them as objects in a list that may outlive the batch; see [rows]. */
public inline fun <reified T : Any> RecordBatch.toList(): List<T> = Records.of(T::class.java).toList(this)

/** Returns the columns for objects of a data class or a record; see [Records.schema]. */
public inline fun <reified T : Any> schemaOf(): Schema = Records.of(T::class.java).schema()

/**
 * Builds a record batch of the objects in a collection, one row for each, in this device's memory; the caller closes
 * it. The overload with a number of rows builds a batch column by column. [batchOf] joins existing arrays.
 *
 *     device.batch(flights).use { … }
 *
 * The columns are those of [schemaOf], except that a column of `BigDecimal` has the largest scale of its values, and a
 * column of `ZonedDateTime` their zone. To build several batches with the same columns, give the schema.
 *
 * @param rows the objects, one for each row
 * @throws IllegalArgumentException if a column cannot store a value; the message names the value and the row. Also if
 *     the values of one column have different zones
 */
public inline fun <reified T : Any> Device.batch(rows: Collection<T>): RecordBatch = memory().batch(rows)

/**
 * Builds a record batch of the objects in a collection, one row for each, with the columns of a schema; see the
 * overload without one. Numbers and times are not rounded. A `ZonedDateTime` gets the zone of its column.
 *
 * @param schema the columns: in another order than [schemaOf] returns, with other units, widths, encodings
 */
public inline fun <reified T : Any> Device.batch(rows: Collection<T>, schema: Schema): RecordBatch =
    memory().batch(rows, schema)

/** Builds a record batch of the objects in a collection, one row for each, in this memory; see [Device.batch]. */
public inline fun <reified T : Any> MemoryManager.batch(rows: Collection<T>): RecordBatch =
    Records.of(T::class.java).build(this, rows)

/** Builds a record batch of the objects in a collection with the columns of a schema; see [Device.batch]. */
public inline fun <reified T : Any> MemoryManager.batch(rows: Collection<T>, schema: Schema): RecordBatch =
    Records.of(T::class.java).build(this, schema, rows)
