// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm

import io.kotest.core.spec.style.FunSpec
import org.arbalest.device.DeviceType
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.gpu.stagedCopyContract

/** Copies from and to main memory of any kind. */
class RocmCopySoakSpec : FunSpec({
    extension(CCompiler.needed)
    extension(rocm)
    extension(ResourceCountersExtension)
    extension(gates.opened)

    include(stagedCopyContract(RocmBackend(DeviceType.ROCM)))
})
