// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda

import io.kotest.core.spec.style.FunSpec
import org.arbalest.device.DeviceType
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.gpu.sharingDriverContract

/**
 * The sharing of whole arrays between two processes. The spec runs on the simulator; the GPU check runs it on a driver.
 */
class CudaProcessesSoakSpec : FunSpec({
    extension(CCompiler.needed)
    extension(cuda)
    extension(ResourceCountersExtension)
    extension(gates.opened)
    extension(sharedMemory)

    include(sharingDriverContract(CudaBackend(DeviceType.CUDA)))
})
