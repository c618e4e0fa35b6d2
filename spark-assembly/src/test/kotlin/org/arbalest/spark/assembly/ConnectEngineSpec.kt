// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.assembly

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain

/** A server of Spark Connect with the assembly, and a client in another process. */
class ConnectEngineSpec : FunSpec({
    val spark = Standalone()

    afterSpec {
        spark.close()
    }

    val output by lazy { spark.connectClient(ConnectProgram::class.java.name, spark.connectServer()) }

    test("a client of Spark Connect reads a source by its name [SPK-29]") {
        withClue(output.text) {
            output.code shouldBe 0
            output.values["rows"] shouldBe "4"
        }
    }

    for (call in listOf("columns", "mapColumns", "schema")) {
        test("$call fails in a client of Spark Connect, and says why [SPK-29]") {
            withClue(output.text) {
                output.values[call].orEmpty() shouldContain
                    "org.apache.spark.sql.connect.Dataset; a DataFrame of Spark Connect has no RDDs"
            }
        }
    }
})
