// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.RecordBatch

/**
 * Returns this record batch with only these columns, in the given order, each with a name of its own, without a copy:
 * `batch.select("price" to "usd", "symbol" to "symbol")`. See [RecordBatch.select]; the caller closes the result.
 *
 * @param columns pairs of a column's name in this batch, which is not a path, and its name in the result
 * @throws IllegalArgumentException if no column or several columns have a name
 */
public fun RecordBatch.select(vararg columns: Pair<String, String>): RecordBatch =
    select(columns.map { it.first }, columns.map { it.second })
