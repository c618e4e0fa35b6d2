// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda

import io.kotest.core.spec.style.FunSpec
import org.arbalest.support.CCompiler
import org.arbalest.support.gpu.CudaDouble
import org.arbalest.support.gpu.exitContract

/** The end of a process with work in a stream. */
class CudaExitSoakSpec : FunSpec({
    extension(CCompiler.needed)

    include(exitContract(CudaDouble))
})
