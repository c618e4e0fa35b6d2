// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.Devices
import org.arbalest.support.ResourceCountersExtension

class AccessSpec : FunSpec({
    extension(ResourceCountersExtension)
    val cpu = Devices.cpu()

    test("retainChild finds a child by name, keeps it open after the batch, and rejects a missing or repeated name") {
        val batch = cpu.batch(2) {
            int64("id", longArrayOf(1, 2))
            utf8("name", listOf("a", null))
            int64("twice", longArrayOf(0, 0))
            int64("twice", longArrayOf(0, 0))
        }
        val child = batch.use {
            shouldThrow<IllegalArgumentException> { it.retainChild("none") }.message shouldBe
                "there is no child \"none\"; there are [id, name, twice, twice]"
            shouldThrow<IllegalArgumentException> { it.retainChild("twice") }.message shouldBe
                "there are several children \"twice\"; there are [id, name, twice, twice]"
            it.retainChild("name")
        }
        child.use { it.asColumn().strings().toList() shouldBe listOf("a", null) }
    }
})
