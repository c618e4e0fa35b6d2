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

/** The behaviour of the library when a driver call fails. Each call fails once. */
class CudaFailureSoakSpec : FunSpec({
    extension(CCompiler.needed)
    extension(cudaDouble)
    extension(ResourceCountersExtension)
    extension(gates.opened)

    val backend = CudaBackend(DeviceType.CUDA)

    /** Returns the number of resources of this kind that the library keeps for the rest of the process. */
    fun kept(kind: Live): Long = Gpu.open(0).run {
        when (kind) {
            Live.STREAMS -> staging().queues().toLong()
            Live.PINNED -> staging().blocks().toLong()
            else -> 0L
        }
    }

    val failing = listOf(
        "cuStreamCreate", "cuMemAllocFromPoolAsync", "cuStreamSynchronize", "cuMemHostAlloc", "cuMemAllocManaged",
        "cuMemGetInfo", "cuMemcpyBatchAsync", "cuPointerGetAttribute", "cuEventCreate", "cuEventRecord",
        "cuEventQuery", "cuEventSynchronize", "cuStreamWaitEvent", "cuLaunchHostFunc",
        "cuThreadExchangeStreamCaptureMode", "cuStreamIsCapturing",
    )
    test(
        "if a driver call and all later calls of its kind fail, nothing leaks and no thread waits forever " +
            "[DEV-40, DEV-41]",
    ) {
        // without this call, the thread's capture mode cannot be restored
        val calls = backend.failFromEach(backend.device, failing - "cuThreadExchangeStreamCaptureMode", ::kept)
        calls.values.sum() shouldBeGreaterThan 10
    }

    for (type in backend.types) {
        test("on $type, an error names the failed driver call, and the failure leaks nothing [DEV-14]") {
            val calls = backend.failEach(Devices.device(type, 0), failing, ::kept) {
                CudaDouble.contextDepth shouldBe 0
            }
            for (function in used(type)) withClue("calls of $function") {
                calls.getValue(function) shouldBeGreaterThan 0
            }
        }
    }

    test("an error code is described by its name and number") {
        CuErrors.describe(2) shouldBe "CUDA_ERROR_OUT_OF_MEMORY (2)"
        CuErrors.describe(12345) shouldBe "unknown code (12345)"
    }
})

private fun used(type: DeviceType): List<String> = when (type) {
    DeviceType.CUDA ->
        listOf("cuMemAllocFromPoolAsync", "cuMemcpyBatchAsync", "cuStreamWaitEvent", "cuLaunchHostFunc",
            "cuEventRecord")
    DeviceType.CUDA_HOST -> listOf("cuMemHostAlloc", "cuLaunchHostFunc", "cuEventRecord")
    else -> listOf("cuMemAllocManaged", "cuMemGetInfo", "cuMemcpyBatchAsync")
}
