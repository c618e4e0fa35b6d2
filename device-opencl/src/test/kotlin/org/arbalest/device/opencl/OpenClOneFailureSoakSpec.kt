// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl

import io.kotest.core.spec.style.FunSpec
import org.arbalest.device.DeviceType
import org.arbalest.support.CCompiler
import org.arbalest.support.check.Plant
import org.arbalest.support.check.oneFailureContract
import org.arbalest.support.check.plants
import org.arbalest.testkit.SkipWithout

/** A failing or leaking test of OpenCL's contract suites is reported once. */
class OpenClOneFailureSoakSpec : FunSpec({
    extension(CCompiler.needed)
    extension(SkipWithout.device(DeviceType.OPENCL))

    include(oneFailureContract(plants(OpenClBackend), ::OpenClContractSpec))
})

/** The same for unified memory. Its simulator must be loaded before the process looks for OpenCL. */
class UsmOneFailureSoakSpec : FunSpec({
    extension(CCompiler.needed)
    extension(UsmDouble.extension)
    extension(SkipWithout.device(DeviceType.OPENCL))

    val backend = UsmBackend(1)
    val memory = Plant("leak of device memory", "there is more than before: {DEVICE=1}") {
        OpenClProvider.driver(backend.device).unified(UnifiedMemory.DEVICE)!!.allocate(100, 64)
    }
    include(oneFailureContract(plants(backend) + memory, ::UsmContractSpec))
})
