// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm

import io.kotest.core.spec.style.FunSpec
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.support.CCompiler
import org.arbalest.support.gpu.HipDouble
import org.arbalest.support.gpu.Prototypes
import org.arbalest.support.gpu.wrongSignatureContract

class HipSignatureSoakSpec : FunSpec({
    extension(CCompiler.commandNeeded)
    extension(HipDouble.extension)

    val prototypes = Prototypes("hip_api.h")
    val calls by lazy {
        Devices.device(DeviceType.ROCM, 0)
        HipLibrary.functions().mapValues { it.value.type() }
    }

    include(wrongSignatureContract(prototypes) { calls })
})
