// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm.check

import io.kotest.core.spec.style.FunSpec
import org.arbalest.support.CCompiler
import org.arbalest.support.check.gpuCheckContract

/** The check of ROCm GPUs, run on the simulator. */
class RocmCheckSoakSpec : FunSpec({
    extension(CCompiler.commandNeeded)

    include(gpuCheckContract(RocmCheck, "contract, copies", "copies, pinned memory, 64", "events"))
})
