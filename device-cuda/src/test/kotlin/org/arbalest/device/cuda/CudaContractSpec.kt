// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda

import io.kotest.core.spec.style.FunSpec
import org.arbalest.device.DeviceType
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.testkit.contract.backendContract

/** A GPU's own memory. */
class CudaContractSpec : FunSpec({
    extension(CCompiler.needed)
    extension(cuda)
    extension(ResourceCountersExtension)
    extension(gates.opened)

    include(backendContract(CudaBackend(DeviceType.CUDA)))
})

/** Pinned main memory, by the GPU that it is pinned for. */
class CudaHostContractSpec : FunSpec({
    extension(CCompiler.needed)
    extension(cuda)
    extension(ResourceCountersExtension)
    extension(gates.opened)

    include(backendContract(CudaBackend(DeviceType.CUDA_HOST)))
})

/** Memory that a GPU and the CPU share. */
class CudaManagedContractSpec : FunSpec({
    extension(CCompiler.needed)
    extension(cuda)
    extension(ResourceCountersExtension)
    extension(gates.opened)

    include(backendContract(CudaBackend(DeviceType.CUDA_MANAGED)))
})
