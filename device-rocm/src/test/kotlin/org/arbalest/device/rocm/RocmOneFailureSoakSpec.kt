// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm

import io.kotest.core.spec.style.FunSpec
import org.arbalest.device.DeviceType
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
class RocmOneFailureSoakSpec : FunSpec({
    extension(CCompiler.needed)

    /** Creates a plant that leaks a HIP object, which [function] creates with [flags] as its last argument. */
    fun leak(what: String, function: String, flags: Int) = Plant("leak of $what", "the runtime has more than before") {
        check(Raw.call(Raw.function(function, JAVA_LONG, JAVA_INT),
            Arena.ofAuto().allocate(JAVA_LONG).address(), flags) == 0)
    }

    val memory = Plant("leak of device memory", "the runtime has more than before: {DEVICE=1}") {
        val allocate = Raw.function("hipMalloc", JAVA_LONG, JAVA_LONG)
        check(Raw.call(allocate, Arena.ofAuto().allocate(JAVA_LONG).address(), 1000L) == 0)
    }
    val handles =
        listOf(memory, leak("a stream", "hipStreamCreateWithFlags", 1), leak("an event", "hipEventCreateWithFlags", 2))

    include(oneFailureContract(plants(RocmBackend(DeviceType.ROCM)) + handles, ::RocmContractSpec))

    val backend = RocmBackend(DeviceType.ROCM)
    val (failure, work, array) = plants(backend)
    val thread = Plant(
        "device and a capture mode that stay",
        "the thread is left with the context or device 1; the thread is left in the capture mode 2",
    ) {
        check(Raw.call(Raw.function("hipThreadExchangeStreamCaptureMode", JAVA_LONG),
            Arena.ofAuto().allocateFrom(JAVA_INT, 2).address()) == 0)
        check(Raw.call(Raw.function("hipSetDevice", JAVA_INT), 1) == 0)
    }
    include(oneFailureContract(listOf(work, memory), ::RocmSpec))
    include(oneFailureContract(listOf(work, array), ::RocmCaptureSoakSpec, most = 5)) // the next test takes ten seconds
    include(oneFailureContract(listOf(failure, thread), ::HipSignatureSoakSpec))
})
