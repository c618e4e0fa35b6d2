// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe

class FlightsOnSparkSpec : FunSpec({
    test("two executors compute DuckDB's answer for the flights, with a kernel in CI, where PoCL exists") {
        val answer = flightsOnSpark(SampleData.flights())
        answer.isDuckDbs shouldBe true
        if (System.getenv("CI") != null) answer.devices shouldBe setOf("OPENCL")
    }
})
