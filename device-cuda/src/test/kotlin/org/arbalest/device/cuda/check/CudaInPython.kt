// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda.check

import io.kotest.core.spec.style.FunSpec
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.cuda.cuda
import org.arbalest.device.cuda.gates
import org.arbalest.device.cuda.onDouble
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.check.pythonContract

/** The exchange with Python's libraries. Only the GPU check runs it, in a process that Python's program starts. */
class CudaInPython : FunSpec({
    extension(CCompiler.needed)
    extension(cuda)
    extension(ResourceCountersExtension)
    extension(gates.opened)

    include(pythonContract(!onDouble, { Devices.device(DeviceType.CUDA, 0) }, gates::shut))
})
