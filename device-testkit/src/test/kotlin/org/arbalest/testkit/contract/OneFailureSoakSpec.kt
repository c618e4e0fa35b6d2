// SPDX-License-Identifier: Apache-2.0
package org.arbalest.testkit.contract

import io.kotest.core.spec.style.FunSpec
import org.arbalest.device.Devices
import org.arbalest.device.abi.DeviceType
import org.arbalest.testkit.CCompiler
import org.arbalest.testkit.PeerNodes
import org.arbalest.testkit.StructKind
import org.arbalest.testkit.check.Plant
import org.arbalest.testkit.check.oneFailureContract
import org.arbalest.testkit.check.plants
import org.arbalest.testkit.fake.FakeDevice
import java.lang.foreign.Arena

/** A failing or leaking test of the contract suites that need no GPU is reported once. */
class OneFailureSoakSpec : FunSpec({
    extension(CCompiler.needed)

    val schema = Plant("leak of the C peer's", "the C peer has 1 more schemas than before") {
        PeerNodes.schema(Arena.ofAuto().allocate(StructKind.SCHEMA.size), "i")
    }
    include(oneFailureContract(plants(CpuBackend) + schema, ::CpuContractSpec))

    fun event(type: DeviceType) = Plant("leak of an event", "events=1") {
        Devices.device(type, 0)
        FakeDevice.of(type, 0).userEvent()
    }
    include(oneFailureContract(plants(FakeBackend(DeviceType.EXT_DEV), MORE) + event(DeviceType.EXT_DEV), ::FakeContractSpec))
    include(oneFailureContract(plants(FakeBackend(DeviceType.CUDA_HOST), MORE) + event(DeviceType.CUDA_HOST), ::FakeHostContractSpec))
})

/** What the fake device's extension says. */
private const val MORE = "more than before the test"
