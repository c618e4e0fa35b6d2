// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.duckdb

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceException
import org.arbalest.interop.EngineContract

/** What is tried with each version of DuckDB besides. */
internal abstract class DuckDbContract(duckDb: DuckDb) : EngineContract(duckDb) {
    init {
        test("${duckDb.name} fails in the middle of a stream, and we hear it in its words [STR-09]") {
            duckDb.connected { connection ->
                // of several, it may say what it did to the others: that they were interrupted
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

        test("its bug: ${duckDb.name} takes a stream that fails for one that ends, and stores what it got") {
            duckDb.connected { connection ->
                shouldThrow<DeviceException> { connection.ingest("t", tearing(2)) }
                connection.number("SELECT count(*)::BIGINT FROM t") shouldBe 20
            }
        }
    }
}
