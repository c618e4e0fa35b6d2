// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe

class FlightsOnSparkSpec : FunSpec({
    test("the flights on two executors: the answer is DuckDB's") {
        flightsOnSpark(SampleData.flights()) shouldBe true
    }
})
