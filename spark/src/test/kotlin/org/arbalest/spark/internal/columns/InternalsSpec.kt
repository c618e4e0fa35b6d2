// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.columns

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe

class InternalsSpec : FunSpec({
    test("Spark's internals are used only in the Spark versions that were tested [SPK-09]") {
        Internals.whyNot("4.2.0") shouldBe null
        Internals.whyNot("4.2.7-SNAPSHOT") shouldBe null
        for (other in listOf("4.1.3", "4.20.0", "4.3.0", "5.4.2", "4", "")) Internals.whyNot(other) shouldBe
            "Spark is $other, but only these versions are tested: [4.2]"
    }
})
