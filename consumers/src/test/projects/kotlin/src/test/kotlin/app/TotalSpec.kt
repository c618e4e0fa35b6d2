// SPDX-License-Identifier: Apache-2.0
package app

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.testkit.LedgerExtension

class TotalSpec : FunSpec({
    extension(LedgerExtension)

    test("a batch comes back from C, and nothing is left") {
        total(1.0, 2.0) shouldBe 3.0
    }
})
