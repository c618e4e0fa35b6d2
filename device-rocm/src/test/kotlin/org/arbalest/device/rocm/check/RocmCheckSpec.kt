// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm.check

import io.kotest.core.spec.style.FunSpec
import org.arbalest.testkit.CCompiler
import org.arbalest.testkit.check.gpuCheckContract

/** The check of ROCm's GPUs, on the double. */
class RocmCheckSpec : FunSpec({
    extension(CCompiler.needed)

    include(gpuCheckContract(RocmCheck))
})
