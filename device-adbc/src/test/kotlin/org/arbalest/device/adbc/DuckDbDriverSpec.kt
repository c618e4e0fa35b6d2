// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.longs.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeSameInstanceAs
import org.arbalest.support.ChildJvm
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

    test("DuckDbDriver finds its copy of DuckDB again if the user has no name, as in a container") {
        val options = listOf("-Duser.name=?", "-Djava.io.tmpdir=${tempdir()}", "-XX:TieredStopAtLevel=1")
        val child = ChildJvm.run(TwoCopies::class, options = options)
        withClue(child.output) { child.exitCode shouldBe 0 }
        child.output.trim().lines().distinct().size shouldBe 1
    }
})

/** Prints the path of DuckDB's library twice. */
internal object TwoCopies {
    @JvmStatic
    fun main(args: Array<String>): Unit = repeat(2) { println(DuckDbDriver.library()) }
}
