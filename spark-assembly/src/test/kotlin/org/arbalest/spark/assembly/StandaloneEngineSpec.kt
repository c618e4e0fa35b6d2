// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.assembly

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldNotContain
import org.arbalest.support.adbc.DuckDbLibrary
import kotlin.io.path.createTempDirectory
import kotlin.io.path.name

/** Spark in standalone mode: a master, two workers and `spark-submit`, each in a process of its own. */
class StandaloneEngineSpec : FunSpec({
    val spark = Standalone()

    afterSpec {
        spark.close()
    }

    val output by lazy {
        val folder = createTempDirectory("arbalest")
        spark.submit("--master", spark.cluster(), "--jars", "$ASSEMBLY", "--conf", "spark.ui.enabled=false", "--conf",
            "spark.driver.host=127.0.0.1", "--class", ClusterProgram::class.java.name, "${spark.programs}",
            "${DuckDbLibrary.file}", "$folder").also { folder.toFile().deleteRecursively() }
    }

    fun says(vararg values: Pair<String, String>) = withClue(output.text) {
        output.code shouldBe 0
        for ((name, value) in values) output.values[name] shouldBe value
    }

    test("the assembly alone brings the library to the driver and to the executors of spark-submit [SPK-28]") {
        val here = "${ASSEMBLY.name}, native access, missing []"
        says("driver" to here, "executors" to "[$here]")
    }

    test("executors of a cluster read a source and DuckDB, and run functions over columns [SPK-28]") {
        says("rows" to "4", "columns" to "[499500, 1499500, 2499500, 3499500]", "mapColumns" to "15996000",
            "DuckDB" to "7998000")
    }

    test("a query over a database survives a killed executor [SPK-28]") {
        says("killed" to "15996000", "removed" to "1", "later" to "7998000")
    }

    test("the assembly does not mix its ANTLR with Spark's") {
        output.text shouldNotContain "ANTLR"
    }
})
