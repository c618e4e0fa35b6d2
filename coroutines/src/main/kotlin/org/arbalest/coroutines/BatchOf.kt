// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.ArrayData
import org.arbalest.device.DeviceArray
import org.arbalest.device.types.Schema

/**
 * Joins arrays of one length to a record batch; each is the column with the given name. Nothing is copied. To build a
 * batch of values, use [batch].
 *
 *     batchOf("price" to prices, "size" to sizes).use { … }
 *
 * **Ownership.** The batch keeps the memory of the arrays. The handles of the arrays stay open; the caller closes them,
 * before or after the batch. An array may be given twice. The nullability and the metadata of a column come from its
 * array's field.
 *
 * **Readiness.** The batch can be read when all arrays can be read. If an array is not ready, the batch has an event on
 * the device's default stream that completes when all are ready. That stream waits for the arrays on the device, if it
 * can. Otherwise this call waits, for example for a CPU array whose event belongs to another device, such as a copy in
 * progress. This call also waits wherever [ArrayData.of] waits. It throws the failure of a failed array.
 *
 * @param columns the names and the arrays
 * @return the batch; the caller closes it
 * @throws IllegalArgumentException if no arrays are given, a name is empty, or arrays differ in length or are on
 *     different devices; the message names the column and the difference
 * @throws IllegalStateException if an array is closed; or if an array is not ready during a capture of the device's
 *     default stream (DEV-60)
 * @throws org.arbalest.device.DeviceException if the device is opaque, or an array is malformed
 */
public fun batchOf(vararg columns: Pair<String, DeviceArray>): DeviceArray {
    require(columns.isNotEmpty()) {
        "a batch of arrays needs at least one array, which determines the number of rows"
    }
    val (firstName, first) = columns.first()
    for ((name, array) in columns) {
        require(name.isNotEmpty()) { "a column of a batch needs a name" }
        require(array.length() == first.length()) {
            "column \"$name\" has ${array.length()} values, but column \"$firstName\" has ${first.length()}; the " +
                "columns of a batch have one length"
        }
        require(array.device() == first.device()) {
            "column \"$name\" is on ${array.device()}, but column \"$firstName\" is on ${first.device()}; copy one " +
                "of them by copyTo"
        }
    }
    val schema = Schema.of(columns.map { (name, array) -> array.field().withName(name) })
    val parts = mutableListOf<ArrayData>()
    try {
        columns.mapTo(parts) { (_, array) -> ArrayData.of(array) }
        return batchOf(schema, ArrayData.of(first.length(), 0, listOf(null), parts), columns.map { it.second })
    } finally {
        parts.forEach(ArrayData::close) // closes the parts that have not moved into the batch
    }
}

private fun batchOf(schema: Schema, data: ArrayData, arrays: List<DeviceArray>): DeviceArray {
    val device = arrays.first().device()
    val unready = arrays.filterNot(DeviceArray::isReady)
    if (unready.isEmpty() && data.hasBuffers()) return DeviceArray.of(schema.asField(), data)
    val stream = device.defaultStream()
    for (array in unready) stream.waitFor(array)
    return DeviceArray.of(schema.asField(), data, stream)
}
