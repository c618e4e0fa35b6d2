// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm

import io.kotest.core.spec.style.FunSpec
import org.arbalest.device.abi.DeviceType
import org.arbalest.testkit.CCompiler
import org.arbalest.testkit.LedgerExtension
import org.arbalest.testkit.gpu.stagedCopyContract

/** Copies from and to main memory of any kind. */
class RocmCopySpec : FunSpec({
    extension(CCompiler.needed)
    extension(rocm)
    extension(LedgerExtension)
    extension(gates.opened)

    include(stagedCopyContract(RocmBackend(DeviceType.ROCM)))
})
