// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.check

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe

private const val MIB = 1L shl 20

class ThresholdSpec : FunSpec({
    fun Threshold.isKept(ours: Double, reference: Double) = complaint(ours, reference) == null

    test("a copy of pinned memory needs 0.95 of the runtime's speed, and 0.9 with 100 columns [CHK-01]") {
        val (one, hundred) = listOf(1, 100).map { Thresholds.pinned(it, 256 * MIB) }
        one.isKept(1000 / 0.951, 1000.0) shouldBe true
        one.isKept(1000 / 0.949, 1000.0) shouldBe false
        hundred.isKept(1000 / 0.901, 1000.0) shouldBe true
        hundred.isKept(1000 / 0.899, 1000.0) shouldBe false
    }

    test("a copy of pageable memory needs 0.6 of the bound's speed [CHK-01]") {
        val threshold = Thresholds.pageable(16 * MIB)
        threshold.isKept(1000 / 0.601, 1000.0) shouldBe true
        threshold.isKept(1000 / 0.599, 1000.0) shouldBe false
    }

    test("a suspended wait may take 10 us longer than a blocked one [CHK-01]") {
        Thresholds.wait.isKept(60.0, 50.0) shouldBe true
        Thresholds.wait.isKept(60.1, 50.0) shouldBe false
    }

    test("a fixed cost of 20 us per batch is allowed below 16 MiB only [CHK-01]") {
        for (threshold in listOf(
            { bytes: Long -> Thresholds.pinned(1, bytes) }, { Thresholds.pinned(100, it) }, Thresholds::pageable,
        )) {
            val small = threshold(16 * MIB - 8)
            small.isKept(100 / small.share + 19.9, 100.0) shouldBe true
            small.isKept(100 / small.share + 20.1, 100.0) shouldBe false
            threshold(16 * MIB).let { it.isKept(100 / it.share + 0.1, 100.0) } shouldBe false
        }
    }

    test("an invalid time never meets a threshold [CHK-01]") {
        for (wrong in listOf(Double.NaN, 0.0, -1.0, Double.POSITIVE_INFINITY)) {
            Thresholds.wait.complaint(wrong, 50.0).shouldNotBeNull()
            Thresholds.wait.complaint(50.0, wrong).shouldNotBeNull()
        }
        LongArray(0).medianMicros().isNaN() shouldBe true
    }

    test("a complaint gives the time and the limit [CHK-01]") {
        Threshold(0.5, 10.0).complaint(120.0, 50.0) shouldBe "120.0 us exceeds the limit of 110.0 us"
    }

    test("a simulated runtime needs a fiftieth of the usual speed [CHK-01]") {
        val threshold = Thresholds.pinned(1, 256 * MIB).loosened()
        threshold.isKept(1000 / 0.0191, 1000.0) shouldBe true
        threshold.isKept(1000 / 0.0189, 1000.0) shouldBe false
    }
})
