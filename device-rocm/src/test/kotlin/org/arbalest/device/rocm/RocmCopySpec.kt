// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.Devices
import org.arbalest.device.abi.DeviceType
import org.arbalest.testkit.CCompiler
import org.arbalest.testkit.LedgerExtension
import org.arbalest.testkit.gpu.HipDouble
import org.arbalest.testkit.gpu.stagedCopyContract

/** Copies from and to main memory of any kind. */
class RocmCopySpec : FunSpec({
    extension(CCompiler.needed)
    extension(HipDouble.extension)
    extension(LedgerExtension)
    extension(gates.opened)

    include(stagedCopyContract(RocmBackend(DeviceType.ROCM)))

    test("copy: HIP copies from pinned to pinned memory by itself, without a slot or the caller's wait") {
        val device = Devices.device(DeviceType.ROCM, 0)
        device.createStream().use { stream ->
            val pinned = List(2) { device.hostMemory().get().allocate(100) }
            val slots = staging().slots()
            val gate = gates.shut(stream)
            repeat(100) { stream.copy(pinned[0], pinned[1]) }
            staging().slots() shouldBe slots
            gate.open()
            stream.synchronize()
            pinned.forEach { it.close() }
        }
    }
})
