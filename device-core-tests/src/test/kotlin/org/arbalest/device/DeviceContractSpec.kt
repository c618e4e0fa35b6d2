// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device

import io.kotest.core.spec.style.FunSpec
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.fake.FakeDevice
import org.arbalest.support.fake.FakeExtension
import org.arbalest.testkit.contract.Backend
import org.arbalest.testkit.contract.Gate
import org.arbalest.testkit.contract.backendContract

/** The contract of the backends, for the fake device, whose memory the CPU cannot access. */
class DeviceContractSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)
    extension(FakeExtension)

    include(backendContract(FakeBackend(DeviceType.EXT_DEV)))
})

/** The contract for the fake device as pinned memory, which the CPU can access after its event has completed. */
class DeviceHostContractSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)
    extension(FakeExtension)

    include(backendContract(FakeBackend(DeviceType.CUDA_HOST)))
})

internal class FakeBackend(private val type: DeviceType) : Backend {
    override val device: Device by lazy { Devices.device(type, 0) }

    override fun gate(stream: DeviceStream): Gate {
        val event = FakeDevice.of(type, 0).userEvent()
        device.adoptEvent(event.handle).use(stream::waitFor)
        return object : Gate {
            override fun open() = event.complete()

            override fun fail(): Boolean = true.also { event.fail() }
        }
    }

    override fun forgive() = FakeDevice.of(type, 0).reset()
}
