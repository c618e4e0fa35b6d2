// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device

import io.kotest.core.spec.style.FunSpec
import org.arbalest.device.internal.cpu.CpuBackend
import org.arbalest.device.internal.cpu.CpuDriverContractSpec
import org.arbalest.support.CCompiler
import org.arbalest.support.PeerNodes
import org.arbalest.support.StructKind
import org.arbalest.support.check.Plant
import org.arbalest.support.check.oneFailureContract
import org.arbalest.support.check.plants
import org.arbalest.support.fake.FakeDevice
import java.lang.foreign.Arena

/** The contract suites that need no GPU: each reports a failing or leaking test once. */
class DeviceOneFailureSoakSpec : FunSpec({
    extension(CCompiler.needed)

    val schema = Plant("leak of a schema of the C peer", "the C peer has 1 more schemas than before") {
        PeerNodes.schema(Arena.ofAuto().allocate(StructKind.SCHEMA.size), "i")
    }
    include(oneFailureContract(plants(CpuBackend) + schema, ::CpuDriverContractSpec))

    fun event(type: DeviceType) = Plant("leak of an event", "events=1") {
        Devices.device(type, 0)
        FakeDevice.of(type, 0).userEvent()
    }
    include(oneFailureContract(plants(FakeBackend(DeviceType.EXT_DEV), MORE) + event(DeviceType.EXT_DEV),
        ::DeviceContractSpec))
    include(oneFailureContract(plants(FakeBackend(DeviceType.CUDA_HOST), MORE) + event(DeviceType.CUDA_HOST),
        ::DeviceHostContractSpec))
})

/** Words in the message of [FakeExtension] about a leak. */
private const val MORE = "more than before the test"
