// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm

import io.kotest.core.spec.style.FunSpec
import org.arbalest.device.DeviceType
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.testkit.contract.backendContract

/** The backend contract on a GPU's own memory. */
class RocmContractSpec : FunSpec({
    extension(CCompiler.needed)
    extension(rocm)
    extension(ResourceCountersExtension)
    extension(gates.opened)

    include(backendContract(RocmBackend(DeviceType.ROCM)))
})

/** The backend contract on main memory that is pinned for a GPU. */
class RocmHostContractSpec : FunSpec({
    extension(CCompiler.needed)
    extension(rocm)
    extension(ResourceCountersExtension)
    extension(gates.opened)

    include(backendContract(RocmBackend(DeviceType.ROCM_HOST)))
})
