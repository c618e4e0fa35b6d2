// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm

import io.kotest.core.spec.style.FunSpec
import org.arbalest.support.CCompiler
import org.arbalest.support.gpu.HipDouble
import org.arbalest.support.gpu.exitContract

/** The end of a process with work in a stream. */
class RocmExitSoakSpec : FunSpec({
    extension(CCompiler.needed)

    include(exitContract(HipDouble))
})
