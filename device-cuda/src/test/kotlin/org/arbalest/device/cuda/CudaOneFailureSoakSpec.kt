// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda

import io.kotest.core.spec.style.FunSpec
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.support.CCompiler
import org.arbalest.support.check.Plant
import org.arbalest.support.check.oneFailureContract
import org.arbalest.support.check.plants
import java.lang.foreign.Arena
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG

/**
 * A failing or leaking test is reported once, on the simulator. Each kind of cleanup between tests is checked with one
 * spec.
 */
class CudaOneFailureSoakSpec : FunSpec({
    extension(CCompiler.needed)

    /** Creates a plant that leaks a driver object, which [function] creates with [flags] as its last argument. */
    fun leak(what: String, function: String, flags: Int) = Plant("leak of $what", "the runtime has more than before") {
        Raw.inContext(Devices.device(DeviceType.CUDA, 0)) {
            check(Raw.call(Raw.function(function, JAVA_LONG, JAVA_INT),
                Arena.ofAuto().allocate(JAVA_LONG).address(), flags) == 0)
        }
    }

    val memory = Plant("leak of device memory", "the runtime has more than before: {DEVICE=1}") {
        Raw.inContext(Devices.device(DeviceType.CUDA, 0)) {
            val allocate = Raw.function("cuMemAlloc_v2", JAVA_LONG, JAVA_LONG)
            check(Raw.call(allocate, Arena.ofAuto().allocate(JAVA_LONG).address(), 1000L) == 0)
        }
    }
    val handles = listOf(memory, leak("a stream", "cuStreamCreate", 1), leak("an event", "cuEventCreate", 2))

    include(oneFailureContract(plants(CudaBackend(DeviceType.CUDA)) + handles, ::CudaContractSpec))

    val backend = CudaBackend(DeviceType.CUDA)
    val (failure, work, array) = plants(backend)
    val thread = Plant(
        "context and a capture mode that stay",
        "the thread is left with the context or device 1; the thread is left in the capture mode 2",
    ) {
        check(Raw.call(Raw.function("cuThreadExchangeStreamCaptureMode", JAVA_LONG),
            Arena.ofAuto().allocateFrom(JAVA_INT, 2).address()) == 0)
        check(Raw.call(Raw.function("cuCtxPushCurrent_v2", JAVA_LONG), CudaProvider.gpu(backend.device).context()) == 0)
    }
    include(oneFailureContract(listOf(work, memory), ::CudaSpec))
    include(oneFailureContract(listOf(work, array), ::CudaCaptureSoakSpec))
    include(oneFailureContract(listOf(failure, thread), ::CuSignatureSoakSpec))
})
