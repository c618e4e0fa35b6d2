// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeSameInstanceAs
import org.arbalest.support.ResourceCountersExtension
import java.nio.file.Files

class DuckDbDriverSpec : FunSpec({
    extension(ResourceCountersExtension)

    test("DuckDbDriver extracts DuckDB from its jar once and runs a query") {
        DuckDbDriver.load() shouldBeSameInstanceAs DuckDbDriver.load()
        Files.size(DuckDbDriver.library()) shouldBeGreaterThan 10_000_000
        DuckDbDriver.library() shouldBe DuckDbDriver.library()
        DuckDbDriver.open().use { database ->
            database.connect().use { it.query("SELECT 6 * 7").single() shouldBe 42L }
        }
    }
})
