// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.duckdb

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceException
import org.arbalest.interop.EngineContract

/** The further tests of each version of DuckDB. */
internal abstract class DuckDbContract(duckDb: DuckDb) : EngineContract(duckDb) {
    init {
        test("${duckDb.name} fails in the middle of a stream, and the reader throws its message [STR-09]") {
            duckDb.connected { connection ->
                // With several threads, the message may be that of another thread, which was interrupted.
                connection.execute("SET threads TO 1")
                connection.query(
                    "SELECT CASE WHEN range = 999999 THEN error('row ' || range) ELSE range END AS id FROM " +
                        "range(1000000)",
                ) { reader ->
                    shouldThrow<DeviceException> { while (true) reader.next()?.close() ?: break }
                        .message shouldContain "row 999999"
                }
            }
        }

        test("known bug: ${duckDb.name} stores the rows of a failed stream as if the stream had ended") {
            duckDb.connected { connection ->
                shouldThrow<DeviceException> { connection.ingest("t", tearing(2)) }
                connection.number("SELECT count(*)::BIGINT FROM t") shouldBe 20
            }
        }
    }
}
