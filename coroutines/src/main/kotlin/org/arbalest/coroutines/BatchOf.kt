// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.ArrayData
import org.arbalest.device.DeviceArray
import org.arbalest.device.types.Schema

/**
 * Makes a record batch of arrays of one length, each the column of the name given. Nothing is copied:
 *
 *     batchOf("price" to prices, "size" to sizes).use { … }
 *
 * The batch keeps the memory of the arrays. Their handles stay open, and the caller's to close, before or after the
 * batch. An array may be given twice. A column is nullable, and has metadata, as its array's field says.
 *
 * The batch can be read when all arrays can: if one is not ready yet, the batch has an event that completes then, of
 * the device's default stream. That stream waits for the arrays on the device if it can. If it cannot, this call waits:
 * so for arrays on the CPU whose event is another device's, such as of a copy that is under way. What [ArrayData.of]
 * waits for, this does, too. What a failed array failed with is thrown here.
 *
 * @return the batch, to be closed by the caller
 * @throws IllegalArgumentException if there are no arrays, a name is empty, or arrays differ in length or are on
 *     different devices: names the column, and says what differs
 * @throws IllegalStateException if an array is closed; or one is not ready, and somebody captures the device's default
 *     stream (DEV-60)
 * @throws org.arbalest.device.DeviceException if the device is opaque, or an array is malformed
 */
public fun batchOf(vararg columns: Pair<String, DeviceArray>): DeviceArray {
    require(columns.isNotEmpty()) {
        "a batch of arrays needs one array at least, which says how many rows there are"
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
        parts.forEach(ArrayData::close) // what has not moved into the batch
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
