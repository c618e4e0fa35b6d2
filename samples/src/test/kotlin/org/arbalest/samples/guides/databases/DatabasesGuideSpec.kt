// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.databases

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.coroutines.batch
import org.arbalest.coroutines.int64
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.adbc.AdbcConnection
import org.arbalest.device.adbc.DuckDbDriver
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.printed
import java.io.File

private inline fun <T> withFlights(block: (AdbcConnection) -> T): T = DuckDbDriver.open().use { database ->
    database.connect().use { connection ->
        connection.execute("CREATE TABLE flights AS SELECT i AS id, i % 90 AS delay FROM range(900) t(i)")
        block(connection)
    }
}

private fun AdbcConnection.ids(): List<Long> {
    val ids = mutableListOf<Long>()
    query("SELECT id FROM flights WHERE delay > 60 ORDER BY id").use { result ->
        result.forEach { batch -> ids += batch.column("id").toLongArray().asList() }
    }
    return ids
}

/** Runs the code of docs/guides/databases.md. */
class DatabasesGuideSpec : FunSpec({
    extension(ResourceCountersExtension)

    test("the Kotlin program prints the flights that the page displays, and the Java program prints the same ids") {
        val page = File("../docs/guides/databases.md").readText()
        page shouldContain "\n```\n${printed { main() }.trim()}\n```\n"
        printed { DatabasesGuideJava.main(arrayOf()) }.lines().filter { it.isNotBlank() } shouldBe
            listOf("Flight[id=89, delay=89]", "Flight[id=179, delay=89]", "Flight[id=269, delay=89]")
    }

    test("a parameter selects the rows") {
        withFlights { ParametersJava.late(it, 60) } shouldBe 290
    }

    test("a transaction replaces the late flights") {
        val late = Devices.cpu().batch {
            int64("id", longArrayOf(1000, 1001))
            int64("delay", longArrayOf(61, 62))
        }
        withFlights { connection ->
            replaceLate(connection, RecordBatchReader.of(late.schema(), listOf(late))) shouldBe 2
            connection.ids() shouldBe listOf(1000L, 1001L)
        }
    }
})
