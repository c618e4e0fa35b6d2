// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks

import org.arbalest.coroutines.longs
import org.arbalest.device.columns.Column

/** Returns the sum of a column, like the loops of [ReadLoops] but in Kotlin. */
internal fun sum(column: Column): Long {
    val values = column.longs()
    var sum = 0L
    for (row in values.indices) sum += values[row]
    return sum
}

internal fun sumValid(column: Column): Long {
    val values = column.longs()
    var sum = 0L
    for (row in values.indices) if (!values.isNull(row)) sum += values[row]
    return sum
}

internal fun sumForEach(column: Column): Long {
    var sum = 0L
    column.longs().forEachValid { _, value -> sum += value }
    return sum
}
