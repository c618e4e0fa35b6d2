// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.DeviceArray
import org.arbalest.device.RecordBatch

/**
 * Joins arrays of one length to a record batch; each is the column with the given name. Nothing is copied. To build a
 * batch of values, use [batch].
 *
 *     batchOf("price" to prices, "size" to sizes).use { … }
 *
 * It is [RecordBatch.ofColumns] with the names at the arrays, and every column needs a name.
 *
 * **Ownership.** The batch keeps the memory of the arrays. The handles of the arrays stay open; the caller closes them,
 * before or after the batch. An array may be given twice. The nullability, the metadata and the extension type of a
 * column come from its array's field.
 *
 * **Readiness.** The batch can be read when all arrays can be read. If several have different events that are not
 * complete, a new stream of an event's device waits for them, and the batch has an event after that. An event of a
 * runtime that is unknown to the stream's runtime blocks the caller.
 *
 * @param columns the names and the arrays
 * @return the batch; the caller closes it
 * @throws IllegalArgumentException if no arrays are given, a name is empty, or arrays differ in length or are on
 *     different devices; the message names the column and the difference
 * @throws IllegalStateException if an array is closed
 * @throws org.arbalest.device.DeviceException with the error of an event; or if several events have to be awaited, and
 *     no backend supports one of them
 */
public fun batchOf(vararg columns: Pair<String, DeviceArray>): RecordBatch {
    for ((name, _) in columns) require(name.isNotEmpty()) { "a column of a batch needs a name" }
    return RecordBatch.ofColumns(columns.map { it.first }, columns.map { it.second })
}
