// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.performance

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.coroutines.batch
import org.arbalest.coroutines.float64
import org.arbalest.device.Devices
import org.arbalest.support.ResourceCountersExtension

class PerformanceGuideSpec : FunSpec({
    extension(ResourceCountersExtension)

    test("a loop over a typed view sums a column without its nulls, in Java and in Kotlin") {
        Devices.cpu().batch { float64("price", listOf(1.5, null, 2.0)) }.use { batch ->
            PerformanceGuideJava.total(batch) shouldBe 3.5
            total(batch) shouldBe 3.5
        }
    }
})
