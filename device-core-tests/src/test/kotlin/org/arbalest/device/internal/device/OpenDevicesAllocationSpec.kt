// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceType
import java.lang.management.ManagementFactory

class OpenDevicesAllocationSpec : FunSpec({
    test("finding an open or a missing device again allocates nothing [DEV-18]") {
        val threads = ManagementFactory.getThreadMXBean() as com.sun.management.ThreadMXBean
        val (there, missing) = DeviceType.CPU to DeviceType.ONEAPI // whose provider reports it as missing
        fun allocated(): Long {
            val before = threads.currentThreadAllocatedBytes
            repeat(10_000) {
                DeviceRegistry.find(there, -1)
                DeviceRegistry.find(missing, 0)
            }
            return threads.currentThreadAllocatedBytes - before
        }
        repeat(10) { allocated() }
        (allocated() < 10_000) shouldBe true // for the measurement itself, or one more probe
    }
})
