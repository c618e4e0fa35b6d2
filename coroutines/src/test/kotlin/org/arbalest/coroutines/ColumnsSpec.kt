// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.Devices
import org.arbalest.support.ResourceCountersExtension

class ColumnsSpec : FunSpec({
    extension(ResourceCountersExtension)

    test("select chooses columns and gives them names") {
        Devices.cpu().batch {
            int32("a", intArrayOf(1))
            int32("b", intArrayOf(2))
        }.use { batch ->
            batch.select("b" to "a", "a" to "c").use { chosen ->
                chosen.schema().fields().map { it.name() } shouldBe listOf("a", "c")
                chosen["a"].toList() shouldBe listOf(2)
            }
        }
    }
})
