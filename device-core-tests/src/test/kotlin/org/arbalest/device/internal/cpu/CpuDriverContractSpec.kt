// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.cpu

import io.kotest.core.spec.style.FunSpec
import org.arbalest.device.Device
import org.arbalest.device.DeviceStream
import org.arbalest.device.Devices
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.testkit.contract.Backend
import org.arbalest.testkit.contract.Gate
import org.arbalest.testkit.contract.backendContract

class CpuDriverContractSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    include(backendContract(CpuBackend))
})

internal object CpuBackend : Backend {
    override val device: Device = Devices.cpu()

    override fun gate(stream: DeviceStream): Gate? = null
}
