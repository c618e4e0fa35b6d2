// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc

import org.arbalest.device.RecordBatchReader
import org.arbalest.support.adbc.DuckDbLibrary
import java.nio.file.Path

/** DuckDB, loaded as an ADBC driver. */
object DuckDb {
    const val ENTRY_POINT: String = "duckdb_adbc_init"

    val library: Path by DuckDbLibrary::file

    val driver: AdbcDriver by lazy { AdbcDriver.load(library, ENTRY_POINT) }

    fun open(): AdbcDatabase = driver.open(mapOf("path" to ":memory:"))

    /** Runs [block] with a connection to a new database. */
    fun <T> connected(block: (AdbcConnection) -> T): T = open().use { database -> database.connect().use(block) }
}

/** Returns all rows of this result, and closes it. */
fun RecordBatchReader.rows(): List<List<Any?>> = use { reader ->
    buildList {
        reader.forEach { batch ->
            for (row in 0 until batch.length()) add(List(batch.schema().fields().size) { batch.column(it)[row] })
        }
    }
}

/** Returns the only value of this result, and closes it. */
fun RecordBatchReader.single(): Any? = rows().single().single()
