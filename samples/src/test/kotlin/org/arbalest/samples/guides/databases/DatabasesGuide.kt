// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.databases

import kotlinx.coroutines.runBlocking
import org.arbalest.adbc.coroutines.queryFlow
import org.arbalest.coroutines.rows
import org.arbalest.device.adbc.DuckDbDriver

data class Flight(val id: Long, val delay: Long)

fun main(): Unit = runBlocking {
    DuckDbDriver.open().use { database -> // in memory
        database.connect().use { connection ->
            connection.execute("CREATE TABLE flights AS SELECT i AS id, i % 90 AS delay FROM range(90000) t(i)")
            connection.queryFlow("SELECT * FROM flights WHERE delay > 88 ORDER BY id LIMIT 3").collect { batch ->
                for (flight in batch.rows<Flight>()) println(flight) // the flow closes the batch after this block
            }
        }
    }
}
