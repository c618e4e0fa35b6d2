// SPDX-License-Identifier: Apache-2.0
package org.arbalest.testkit.contract

import io.kotest.core.spec.style.FunSpec
import org.arbalest.device.Device
import org.arbalest.device.DeviceStream
import org.arbalest.device.Devices
import org.arbalest.testkit.CCompiler
import org.arbalest.testkit.LedgerExtension

class CpuContractSpec : FunSpec({
    extension(CCompiler.needed)
    extension(LedgerExtension)

    include(backendContract(CpuBackend))
})

internal object CpuBackend : Backend {
    override val device: Device = Devices.cpu()

    override fun gate(stream: DeviceStream): Gate? = null
}
