// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda.check

import io.kotest.core.spec.style.FunSpec
import org.arbalest.support.CCompiler
import org.arbalest.support.check.gpuCheckContract
import org.arbalest.support.check.gpuCheckTroubleContract

/** The check of CUDA GPUs, run on the simulator. */
class CudaCheckSoakSpec : FunSpec({
    extension(CCompiler.commandNeeded)

    include(gpuCheckContract(CudaCheck))
    include(gpuCheckTroubleContract(CudaCheck))
})
