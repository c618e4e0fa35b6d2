// SPDX-License-Identifier: Apache-2.0
package app

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.Device
import org.arbalest.device.DeviceStream
import org.arbalest.device.Devices
import org.arbalest.leakcheck.kotest.LeakExtension
import org.arbalest.testkit.contract.Backend
import org.arbalest.testkit.contract.Gate
import org.arbalest.testkit.contract.backendContract

private object Cpu : Backend {
    override val device: Device get() = Devices.cpu()

    override fun gate(stream: DeviceStream): Gate? = null
}

class TotalSpec : FunSpec({
    extension(LeakExtension())

    test("a batch returns from C, and no memory leaks") {
        total(1.0, 2.0) shouldBe 3.0
    }

    include(backendContract(Cpu))
})
