// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc

import org.arbalest.device.DeviceArrayReader
import org.arbalest.support.adbc.DuckDbLibrary
import java.nio.file.Path

/** DuckDB as a driver. */
object DuckDb {
    const val ENTRY_POINT: String = "duckdb_adbc_init"

    val library: Path by DuckDbLibrary::file

    val driver: AdbcDriver by lazy { AdbcDriver.load(library, ENTRY_POINT) }

    fun open(): AdbcDatabase = driver.open(mapOf("path" to ":memory:"))

    /** A connection to a database of its own. */
    fun <T> connected(block: (AdbcConnection) -> T): T = open().use { database -> database.connect().use(block) }
}

/** All rows of a result, which is closed. */
fun DeviceArrayReader.rows(): List<List<Any?>> = use { reader ->
    buildList {
        reader.forEach { batch ->
            for (row in 0 until batch.length()) add(List(batch.schema().fields().size) { batch.column(it)[row] })
        }
    }
}

/** The one value of a result, which is closed. */
fun DeviceArrayReader.single(): Any? = rows().single().single()
