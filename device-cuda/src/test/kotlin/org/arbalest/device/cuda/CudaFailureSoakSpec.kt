// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.gpu.CudaDouble
import org.arbalest.support.gpu.GpuDouble.Live
import org.arbalest.support.gpu.failEach
import org.arbalest.support.gpu.failFromEach

/** Every call of the driver's fails once. */
class CudaFailureSoakSpec : FunSpec({
    extension(CCompiler.needed)
    extension(cudaDouble)
    extension(ResourceCountersExtension)
    extension(gates.opened)

    val backend = CudaBackend(DeviceType.CUDA)

    /** What is kept for good. */
    fun kept(kind: Live): Long = Gpu.open(0).run {
        when (kind) {
            Live.STREAMS -> staging().queues().toLong()
            Live.PINNED -> staging().blocks().toLong()
            else -> 0L
        }
    }

    val failing = listOf(
        "cuStreamCreate", "cuMemAllocFromPoolAsync", "cuStreamSynchronize", "cuMemHostAlloc", "cuMemAllocManaged",
        "cuMemGetInfo", "cuMemcpyAsync", "cuPointerGetAttribute", "cuEventCreate", "cuEventRecord", "cuEventQuery",
        "cuEventSynchronize", "cuStreamWaitEvent", "cuLaunchHostFunc", "cuThreadExchangeStreamCaptureMode",
        "cuStreamIsCapturing",
    )
    test(
        "from each call on that fails, and all of its kind after it, nothing is left of what was half done, and " +
            "nobody waits for ever [DEV-40, DEV-41]",
    ) {
        // where that fails, a mode is not restored
        val calls = backend.failFromEach(backend.device, failing - "cuThreadExchangeStreamCaptureMode", ::kept)
        calls.values.sum() shouldBeGreaterThan 10
    }

    for (type in backend.types) {
        test("on $type each call that fails is named, and nothing is left of what was half done [DEV-14]") {
            val calls = backend.failEach(Devices.device(type, 0), failing, ::kept) {
                CudaDouble.contextDepth shouldBe 0
            }
            for (function in used(type)) withClue("calls of $function") {
                calls.getValue(function) shouldBeGreaterThan 0
            }
        }
    }

    test("the names of the driver's errors") {
        CuErrors.describe(2) shouldBe "CUDA_ERROR_OUT_OF_MEMORY (2)"
        CuErrors.describe(12345) shouldBe "unknown code (12345)"
    }
})

private fun used(type: DeviceType): List<String> = when (type) {
    DeviceType.CUDA ->
        listOf("cuMemAllocFromPoolAsync", "cuMemcpyAsync", "cuStreamWaitEvent", "cuLaunchHostFunc", "cuEventRecord")
    DeviceType.CUDA_HOST -> listOf("cuMemHostAlloc", "cuLaunchHostFunc", "cuEventRecord")
    else -> listOf("cuMemAllocManaged", "cuMemGetInfo", "cuMemcpyAsync")
}
