// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm

import io.kotest.core.spec.style.FunSpec
import org.arbalest.device.abi.DeviceType
import org.arbalest.testkit.CCompiler
import org.arbalest.testkit.LedgerExtension
import org.arbalest.testkit.gpu.sharingContract

/** Arrays that two processes share. */
class RocmSharingSpec : FunSpec({
    extension(CCompiler.needed)
    extension(hipDouble)
    extension(LedgerExtension)
    extension(gates.opened)

    include(sharingContract(RocmBackend(DeviceType.ROCM)))
})
