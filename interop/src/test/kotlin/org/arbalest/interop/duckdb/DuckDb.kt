// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.duckdb

import org.arbalest.device.RecordBatchReader
import org.arbalest.device.adbc.AdbcConnection
import org.arbalest.device.adbc.AdbcDriver
import org.arbalest.device.adbc.DuckDbDriver
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.types.Interval
import org.arbalest.interop.Engine
import org.arbalest.interop.Had
import org.arbalest.interop.Kept
import org.arbalest.interop.TypeCase
import org.arbalest.interop.Types
import org.arbalest.support.Program
import java.lang.foreign.MemorySegment
import java.nio.file.Files
import java.nio.file.Path

/** The DuckDB engine, used through ADBC, with a new in-memory database for each stream that it takes. */
internal class DuckDb(
    override val name: String,
    override val misreads: Set<String> = emptySet(),
    load: () -> AdbcDriver,
) : Engine {
    private val answer by lazy { runCatching(load) }

    override val missing: String? get() = answer.exceptionOrNull()?.let { "no $name: ${it.message}" }

    override val refuses: Map<String, String> = mapOf(
        "float16" to "Unsupported Internal Arrow Type e",
        "decimal256" to "Unsupported Internal Arrow Type for Decimal",
        "sparse union, ids 5 and 3" to "Arrow union tag out of range: 5", // DuckDB treats ids as positions
        "dense union" to "Unsupported Internal Arrow Type",
        "list of dictionary" to "Attempted to dereference unique_ptr that is NULL",
    )

    /**
     * DuckDB stores dates as days, times as microseconds, and durations as intervals. Known bug: DuckDB reads the days
     * and the milliseconds of an interval as one 64-bit number of milliseconds.
     */
    override val changes: Map<String, (Any) -> Any?> = mapOf<String, (Any) -> Any?>(
        "date64" to { it as Long / 86_400_000 },
        "time32, s" to { it as Long * 1_000_000 },
        "time32, ms" to { it as Long * 1_000 },
        "interval, days and ms" to { value ->
            (value as Interval).let {
                Interval(0, 0, (it.nanoseconds() / 1_000_000 shl 32 or it.days().toLong()) * 1_000_000)
            }
        },
    ) + mapOf("s" to 1_000_000_000L, "ms" to 1_000_000L, "us" to 1_000L, "ns" to 1L)
        .entries.associate { (unit, nanos) ->
            "duration, $unit" to { value: Any -> Interval(0, 0, value as Long * nanos) }
        }

    /** Returns the driver, or throws the reason why it is not available. */
    fun driver(): AdbcDriver = answer.getOrThrow()

    /** Runs [block] with a connection to an empty database. */
    fun <T> connected(block: (AdbcConnection) -> T): T =
        driver().open(mapOf("path" to ":memory:")).use { it.connect().use(block) }

    override fun take(stream: MemorySegment, type: TypeCase): Kept {
        val connection = driver().open(mapOf("path" to ":memory:")).use { it.connect() }
        try {
            connection.ingest("t", CData.importStream(stream, CImport.DATA))
            return Table(connection, type)
        } catch (e: Throwable) {
            connection.close()
            throw e
        }
    }

    private class Table(private val connection: AdbcConnection, private val type: TypeCase) : Kept {
        override fun differences(): Long {
            val known = type.sql?.let {
                " OR (v IS NULL) <> (${TypeCase.SQL_IS_NULL}) OR (v IS NOT NULL AND v IS DISTINCT FROM $it)"
            }.orEmpty()
            return connection.number("SELECT count(*)::BIGINT FROM t WHERE v IS DISTINCT FROM w$known")
        }

        override fun give(out: MemorySegment) {
            CData.exportStream(connection.query("SELECT * FROM t"), out, CExport.DATA)
        }

        override fun close() = connection.close()
    }

    companion object {
        private const val PACKAGE = "@duckdb/node-bindings-linux-x64"
        private const val VERSION = "1.5.6-r.1"

        /**
         * The hash of the package's tarball in npm's registry (`npm view PACKAGE@VERSION dist.integrity`). The test
         * checks it, since it runs the native code of the package.
         */
        private const val SHA_512 =
            "IXcrZJE6kEqM0Z4wwdVnGBHX/frOS33VPNAwDXQ/Q+Fs84b058Qe94chrCCIcNJlG8Y3UHIUU4eBeCQxW5mN1Q=="

        /** The DuckDB in the jar of the JDBC driver. */
        val jdbc = DuckDb("DuckDB 2.0") { DuckDbDriver.load() }

        /** The DuckDB in the npm package, which npm downloads or takes from its cache. */
        val npm = DuckDb("DuckDB 1.5", misreads = Types.all.map { it.name }.filter {
            it.startsWith("dictionary") || it == "sparse union"
        }.toSet()) {
            AdbcDriver.load(fromNpm(), "duckdb_adbc_init")
        }

        private fun fromNpm(): Path {
            check(System.getProperty("os.name") == "Linux" && System.getProperty("os.arch") == "amd64") {
                "cannot load $PACKAGE: the package only supports Linux on x86-64"
            }
            val folder = Path.of("target", "npm").toAbsolutePath()
            val library = folder.resolve("package/libduckdb.so")
            if (!Files.exists(library)) {
                val fresh = Files.createTempDirectory(Files.createDirectories(folder), "new")
                Program.run(fresh, listOf("npm", "pack", "--silent", "$PACKAGE@$VERSION"))
                val tarball = fresh.resolve(fresh.toFile().list()!!.single { it.endsWith(".tgz") })
                Had.check(tarball, SHA_512)
                Program.run(fresh, listOf("tar", "-xzf", "$tarball"))
                Files.move(fresh.resolve("package"), folder.resolve("package"))
                fresh.toFile().deleteRecursively()
            }
            return library
        }
    }
}

internal fun <T> AdbcConnection.query(sql: String, block: (RecordBatchReader) -> T): T = query(sql).use(block)

/** Returns the number that a query of one row and one column returns. */
internal fun AdbcConnection.number(sql: String): Long = query(sql) { reader ->
    reader.next()!!.use { it.column(0).getLong(0) }
}
