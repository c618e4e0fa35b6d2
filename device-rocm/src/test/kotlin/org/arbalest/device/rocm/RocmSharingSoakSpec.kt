// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm

import io.kotest.core.spec.style.FunSpec
import org.arbalest.device.DeviceType
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.gpu.sharingContract

/** The sharing of arrays between two processes. */
class RocmSharingSoakSpec : FunSpec({
    extension(CCompiler.needed)
    extension(hipDouble)
    extension(ResourceCountersExtension)
    extension(gates.opened)

    include(sharingContract(RocmBackend(DeviceType.ROCM)))
})
