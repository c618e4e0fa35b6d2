// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks.start

import org.arbalest.adbc.coroutines.queryFlow
import org.arbalest.coroutines.doubles
import org.arbalest.coroutines.get
import org.arbalest.device.adbc.DuckDbDriver

/** The README's program: Kotlin sums a column of a query of DuckDB, over ADBC. */
suspend fun main() {
    DuckDbDriver.open().use { database ->
        database.connect().use { duckdb ->
            var total = 0.0
            duckdb.queryFlow("SELECT i / 2 AS price FROM range(1000) t(i)").collect { batch ->
                total += batch["price"].doubles().sum()
            }
            check(total == 249750.0) { "the sum is $total" }
        }
    }
}
