// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe

class FlightsOnSparkSpec : FunSpec({
    test("the flights on two executors: the answer is DuckDB's; in CI, where there is PoCL, a kernel counted") {
        val answer = flightsOnSpark(SampleData.flights())
        answer.isDuckDbs shouldBe true
        if (System.getenv("CI") != null) answer.devices shouldBe setOf("OPENCL")
    }
})
