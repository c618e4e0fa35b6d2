// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda

import io.kotest.core.spec.style.FunSpec
import org.arbalest.device.abi.DeviceType
import org.arbalest.testkit.CCompiler
import org.arbalest.testkit.LedgerExtension
import org.arbalest.testkit.gpu.sharingContract

/** Arrays that two processes share. */
class CudaSharingSpec : FunSpec({
    extension(CCompiler.needed)
    extension(cudaDouble)
    extension(LedgerExtension)
    extension(gates.opened)

    include(sharingContract(CudaBackend(DeviceType.CUDA)))
})
