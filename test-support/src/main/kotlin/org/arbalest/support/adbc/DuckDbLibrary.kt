// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.adbc

import org.arbalest.support.made
import java.net.URL
import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.StandardCopyOption.ATOMIC_MOVE

/** DuckDB's native library from `org.duckdb:duckdb_jdbc`, if that is on the class path. */
object DuckDbLibrary {
    private val names: List<String> = run {
        val architecture = if (System.getProperty("os.arch") == "aarch64") "arm64" else "amd64"
        val platforms = if (System.getProperty("os.name").startsWith("Mac")) listOf("macos_universal", "osx_universal")
        else listOf("linux_$architecture")
        platforms.map { "libduckdb_java.so_$it" }
    }

    private val resource: URL? = names.firstNotNullOfOrNull { DuckDbLibrary::class.java.classLoader.getResource(it) }

    /** The reason why there is no library; null if there is one. */
    val missing: String? =
        "no DuckDB: the class path has none of $names; add org.duckdb:duckdb_jdbc".takeIf { resource == null }

    /** The library as a file in the folder `target`, or in a temporary folder. It is copied once. */
    val file: Path by lazy {
        val connection = checkNotNull(resource) { missing!! }.openConnection()
        val target = Path.of("target")
        val folder = if (Files.isDirectory(target)) target.resolve("duckdb-${connection.contentLengthLong}")
        else Files.createTempDirectory("arbalest-duckdb")
        made(folder.resolve("libduckdb.so").toAbsolutePath()) { library ->
            val part = Files.createTempFile(library.parent, "libduckdb", ".part")
            connection.getInputStream().use { Files.newOutputStream(part).use(it::copyTo) }
            Files.move(part, library, ATOMIC_MOVE)
        }
    }
}
