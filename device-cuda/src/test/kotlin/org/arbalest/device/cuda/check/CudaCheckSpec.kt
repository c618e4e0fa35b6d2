// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda.check

import io.kotest.core.spec.style.FunSpec
import org.arbalest.testkit.CCompiler
import org.arbalest.testkit.check.gpuCheckContract

/** The check of CUDA's GPUs, on the double. */
class CudaCheckSpec : FunSpec({
    extension(CCompiler.needed)

    include(gpuCheckContract(CudaCheck))
})
