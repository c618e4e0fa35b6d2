// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm

import io.kotest.core.spec.style.FunSpec
import org.arbalest.testkit.CCompiler
import org.arbalest.testkit.gpu.HipDouble
import org.arbalest.testkit.gpu.exitContract

/** The end of a process with work in a stream. */
class RocmExitSpec : FunSpec({
    extension(CCompiler.needed)

    include(exitContract(HipDouble))
})
