// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import org.arbalest.adbc.coroutines.queryFlow
import org.arbalest.coroutines.*
import org.arbalest.device.adbc.DuckDbDriver

// The README's program in Kotlin: sums a column of a query.

suspend fun main() {
    DuckDbDriver.open().use { database ->
        database.connect().use { duckdb ->
            var total = 0.0
            duckdb.queryFlow("SELECT i / 2 AS price FROM range(1000) t(i)").collect { batch ->
                total += batch["price"].doubles().sum() // the flow closes the batch after this block
            }
            println(total) // 249750.0
        }
    }
}
