// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl

import io.kotest.core.spec.style.FunSpec
import org.arbalest.device.DeviceType
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.testkit.SkipWithout
import org.arbalest.testkit.contract.backendContract

/** The backend contract on a device that has only unified memory. */
class UsmContractSpec : FunSpec({
    extension(CCompiler.needed)
    extension(UsmDouble.extension)
    extension(SkipWithout.device(DeviceType.OPENCL))
    extension(ResourceCountersExtension)
    extension(UserEvent.opened)

    include(backendContract(UsmBackend(1)))
})
