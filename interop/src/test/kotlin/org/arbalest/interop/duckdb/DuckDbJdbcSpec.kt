// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.duckdb

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.adbc.AdbcException
import org.arbalest.device.adbc.AdbcIngest
import org.arbalest.device.adbc.AdbcIngest.Mode
import org.arbalest.interop.Batches
import org.arbalest.interop.Types

internal class DuckDbJdbcSpec : DuckDbContract(DuckDb.jdbc) {
    init {
        test("DuckDB 2.0 has no reader and no writer of Arrow files built in") {
            DuckDb.jdbc.connected { connection ->
                for ((query, refusal) in mapOf(
                    "SELECT * FROM read_arrow('a.arrow')" to "Table Function with name read_arrow does not exist",
                    "COPY (SELECT 1) TO 'a.arrow' (FORMAT arrow)" to "Copy Function with name arrow does not exist",
                )) shouldThrow<AdbcException> { connection.execute(query) }.message shouldContain refusal
            }
        }

        test("DuckDB 2.0 stops in the middle of our stream, and the stream closes the remaining batches [STR-05]") {
            val int64 = Types.all.first { it.name == "int64" }
            DuckDb.jdbc.connected { connection ->
                connection.execute("CREATE TABLE t (i BIGINT CHECK (i < 15000), v BIGINT, w BIGINT)")
                val batches = List(100) { Batches.built(int64, 1000 * it, 1000) }
                RecordBatchReader.of(Batches.schema(int64), batches).use { reader ->
                    val error = shouldThrow<AdbcException> {
                        connection.ingest(AdbcIngest.into("t").with(Mode.APPEND), reader)
                    }
                    error.message shouldContain "CHECK constraint failed"
                }
            }
        }
    }
}
