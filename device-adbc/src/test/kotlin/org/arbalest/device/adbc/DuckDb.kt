// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc

import org.arbalest.device.DeviceArrayReader
import java.nio.file.Files
import java.nio.file.Path
import kotlin.io.path.createDirectories
import kotlin.io.path.createTempFile
import kotlin.io.path.exists
import kotlin.io.path.fileSize

/** DuckDB as a driver: the native library in its JDBC jar, copied into this module's target folder once. */
object DuckDb {
    const val ENTRY_POINT: String = "duckdb_adbc_init"

    val library: Path by lazy {
        val name = "libduckdb_java.so_linux_${if (System.getProperty("os.arch") == "aarch64") "arm64" else "amd64"}"
        val entry = checkNotNull(DuckDb::class.java.classLoader.getResource(name)) { "the class path has no $name" }.openConnection()
        val file = Path.of("target", "duckdb").createDirectories().resolve("libduckdb.so")
        if (!file.exists() || file.fileSize() != entry.contentLengthLong) {
            val part = createTempFile(file.parent, "libduckdb", ".part")
            entry.getInputStream().use { Files.newOutputStream(part).use(it::copyTo) }
            Files.move(part, file, java.nio.file.StandardCopyOption.ATOMIC_MOVE)
        }
        file
    }

    val driver: AdbcDriver by lazy { AdbcDriver.load(library, ENTRY_POINT) }

    fun open(): AdbcDatabase = driver.open(mapOf("path" to ":memory:"))

    /** A connection to a database of its own. */
    fun <T> connected(block: (AdbcConnection) -> T): T = open().use { database -> database.connect().use(block) }
}

/** All rows of a result, which is closed. */
fun DeviceArrayReader.rows(): List<List<Any?>> = use { reader ->
    buildList {
        reader.forEach { batch -> for (row in 0 until batch.length()) add(List(batch.schema().fields().size) { batch.column(it)[row] }) }
    }
}

/** The one value of a result, which is closed. */
fun DeviceArrayReader.single(): Any? = rows().single().single()
