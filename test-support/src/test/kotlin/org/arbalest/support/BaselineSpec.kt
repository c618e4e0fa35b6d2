// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.testkit.contract.Baseline

class BaselineSpec : FunSpec({
    var held = 0L
    val baseline = Baseline(1) { listOf(held) }

    fun counted(now: Long): Long {
        held = now
        return baseline.now().single()
    }

    beforeTest {
        held = 0
        repeat(2) { baseline.begin() } // twice, so that nothing remains of the test before
    }

    test("resources held at the beginning of a test are not counted") {
        counted(2) shouldBe 2
        baseline.begin()
        counted(2) shouldBe 0
        counted(3) shouldBe 1
    }

    test("releasing a resource that an earlier test left lowers the baseline once") {
        counted(2)
        baseline.begin()
        counted(1) shouldBe 0
        counted(2) shouldBe 1
        baseline.begin()
        counted(0) shouldBe 0
        counted(1) shouldBe 1
    }

    test("releasing a resource that no test left gives a negative count") {
        counted(1)
        baseline.begin()
        counted(-1) shouldBe -1
        baseline.begin()
        counted(-2) shouldBe -1
    }
})
