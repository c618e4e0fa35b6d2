// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda

import io.kotest.core.spec.style.FunSpec
import org.arbalest.device.DeviceType
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.testkit.contract.backendContract

/** The backend contract on a GPU's own memory. */
class CudaContractSpec : FunSpec({
    extension(CCompiler.needed)
    extension(cuda)
    extension(ResourceCountersExtension)
    extension(gates.opened)

    include(backendContract(CudaBackend(DeviceType.CUDA)))
})

/** The backend contract on main memory that is pinned for a GPU. */
class CudaHostContractSpec : FunSpec({
    extension(CCompiler.needed)
    extension(cuda)
    extension(ResourceCountersExtension)
    extension(gates.opened)

    include(backendContract(CudaBackend(DeviceType.CUDA_HOST)))
})

/** The backend contract on managed memory, which a GPU and the CPU share. */
class CudaManagedContractSpec : FunSpec({
    extension(CCompiler.needed)
    extension(cuda)
    extension(ResourceCountersExtension)
    extension(gates.opened)

    include(backendContract(CudaBackend(DeviceType.CUDA_MANAGED)))
})
