// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda

import io.kotest.core.spec.style.FunSpec
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.support.CCompiler
import org.arbalest.support.gpu.CudaDouble
import org.arbalest.support.gpu.Prototypes
import org.arbalest.support.gpu.wrongSignatureContract

class CuSignatureSoakSpec : FunSpec({
    extension(CCompiler.commandNeeded)
    extension(CudaDouble.extension)

    val prototypes = Prototypes("cuda_api.h")
    val calls by lazy {
        Devices.device(DeviceType.CUDA, 0)
        CuLibrary.functions().mapValues { it.value.type() }
    }

    include(wrongSignatureContract(prototypes) { calls })
})
