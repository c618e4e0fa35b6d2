// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm

import io.kotest.core.spec.style.FunSpec
import org.arbalest.device.DeviceType
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.gpu.givingBackContract

/** Releases that fail, are deferred, or come after the runtime's end. Most tests run a separate process. */
class RocmGivingBackSoakSpec : FunSpec({
    extension(CCompiler.needed)
    extension(hipDouble)
    extension(ResourceCountersExtension)
    extension(gates.opened)

    include(givingBackContract(RocmBackend(DeviceType.ROCM)))
})
