// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda

import io.kotest.core.spec.style.FunSpec
import org.arbalest.testkit.CCompiler
import org.arbalest.testkit.gpu.CudaDouble
import org.arbalest.testkit.gpu.exitContract

/** The end of a process with work in a stream. */
class CudaExitSpec : FunSpec({
    extension(CCompiler.needed)

    include(exitContract(CudaDouble))
})
