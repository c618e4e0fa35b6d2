// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.staging

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe
import org.arbalest.device.DeviceException
import org.arbalest.device.Errno
import org.arbalest.device.MemoryAllocator
import org.arbalest.testkit.contract.eventually

/** Tests of slots whose pinned memory cannot be allocated, or not yet. */
class StagingSlotsSpec : FunSpec({
    test("slots that could not be allocated are allocated when memory is available again [DEV-33]") {
        for (errno in listOf(Errno.ENOMEM, Errno.EAGAIN)) {
            val memory = Failing(errno)
            val slots = StagingSlots(memory, 4096, 4, 2)
            slots.tryTake() shouldBe 0
            slots.count() shouldBe 0
            memory.fails = false
            if (errno == Errno.EAGAIN) slots.tryTake() shouldNotBe 0
            eventually("a slot is available") { slots.tryTake() != 0L }
            slots.count() shouldBe 2
        }
    }

    test("after a failed allocation, the next copies do not try again [DEV-33]") {
        val memory = Failing(Errno.ENOMEM)
        val slots = StagingSlots(memory, 4096, 4, 2)
        repeat(100) { slots.tryTake() shouldBe 0 }
        memory.asked shouldBe 1
    }
})

private class Failing(private val errno: Int) : MemoryAllocator {
    var fails = true
    var asked = 0

    override fun isCpuAccessible() = true

    override fun allocate(bytes: Long, alignment: Long): Long {
        asked++
        if (fails) throw DeviceException(errno, "no memory")
        return 4096L * asked // this address is never read
    }

    override fun free(address: Long, bytes: Long) = error("unexpected call: slots are never freed")
}
