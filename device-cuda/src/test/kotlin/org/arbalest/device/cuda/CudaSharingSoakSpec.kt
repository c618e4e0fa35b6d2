// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda

import io.kotest.core.spec.style.FunSpec
import org.arbalest.device.DeviceType
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.gpu.sharingContract

/** The sharing of arrays between two processes. */
class CudaSharingSoakSpec : FunSpec({
    extension(CCompiler.needed)
    extension(cudaDouble)
    extension(ResourceCountersExtension)
    extension(gates.opened)

    include(sharingContract(CudaBackend(DeviceType.CUDA)))
})
