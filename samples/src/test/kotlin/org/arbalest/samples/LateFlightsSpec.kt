// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.adbc.DuckDbDriver
import org.arbalest.support.ResourceCountersExtension

class LateFlightsSpec : FunSpec({
    extension(ResourceCountersExtension)
    val folder = tempdir().toPath()

    test("the ten latest flights match DuckDB's answer") {
        val run = captured { runSamples("late") }
        run.error shouldBe ""
        run.code shouldBe 0
        run.output shouldContain "flights are 120 minutes late or more"
        run.output.lines().filter { Regex("\\| [A-Z]{3} .*").matches(it) } shouldHaveSize 10
        run.output shouldContain "the delays match DuckDB's own answer"
    }

    test("late-java prints the same delays") {
        fun minutes(sample: String): List<String> {
            val run = captured { runSamples(sample) }
            run.error shouldBe ""
            run.code shouldBe 0
            return Regex("""[A-Z]{3} +\| +([\d,]+) """).findAll(run.output).map { it.groupValues[1].replace(",", "") }
                .toList()
        }
        minutes("late-java").apply { this shouldHaveSize 10 } shouldBe minutes("late")
    }

    test("a file without late flights prints a sentence") {
        val file = folder.resolve("early.parquet")
        DuckDbDriver.open().use { database ->
            database.connect().use {
                it.execute("COPY (SELECT 'A' AS origin, 1 AS delay, 2 AS distance) TO '$file' (FORMAT parquet)")
            }
        }
        for (sample in listOf("late", "late-java")) {
            val run = captured { runSamples(sample, "--file", "$file") }
            run.output shouldContain "no flight is 120 minutes late"
            run.code shouldBe 0
        }
    }
})
