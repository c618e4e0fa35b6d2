// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactlyInAnyOrder
import io.kotest.matchers.longs.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.gpu.GpuDouble.Live
import org.arbalest.support.gpu.HipDouble
import org.arbalest.support.gpu.failEach
import org.arbalest.support.gpu.failFromEach

private val launch get() = HostFunctions.LAUNCH.name()

/** The functions that fail while a batch is copied to a device and back. */
private val onTheWay = listOf(
    "hipGetDevice", "hipSetDevice", "hipStreamCreateWithFlags", "hipMalloc", "hipHostMalloc", "hipMemcpyAsync",
    "hipDrvPointerGetAttributes", "hipEventCreateWithFlags", "hipEventRecord", "hipEventQuery", "hipStreamWaitEvent",
    "hipStreamQuery",
    "hipThreadExchangeStreamCaptureMode", "hipStreamIsCapturing",
)

/** The functions that change a thread's state. If one of them fails, the state is not restored. */
private val changing = setOf("hipGetDevice", "hipSetDevice", "hipThreadExchangeStreamCaptureMode")

/** The functions that fail when a GPU is opened or queried. RocmProviderSoakSpec has their tests. */
private val atTheBeginning = listOf(
    "hipGetDeviceCount", "hipRuntimeGetVersion", "hipDeviceGetName", "hipDeviceTotalMem", "hipMemPoolCreate",
    "hipMemPoolSetAttribute", "hipMemPoolDestroy", "hipDeviceCanAccessPeer", "hipDeviceEnablePeerAccess",
    "hipMemPoolSetAccess",
)

/** The functions that fail when memory is short. */
private val outOfMemory = listOf("hipMemPoolTrimTo", "hipMemGetInfo", "hipMallocFromPoolAsync")

/** The functions that fail when foreign memory is pinned. */
private val pinning = listOf("hipHostRegister", "hipHostGetDevicePointer", "hipHostUnregister")

/** The function that fails when a pool is chosen: RocmPoolSoakSpec. */
private val choosing = listOf("hipDeviceGetMemPool")

/** The function by which only pools wait. */
private val givingUp = listOf("hipStreamSynchronize")

/** Failures of HIP's calls. Each call fails once. RocmSpec has the calls that release resources. */
class RocmFailureSoakSpec : FunSpec({
    extension(CCompiler.needed)
    extension(hipDouble)
    extension(ResourceCountersExtension)
    extension(gates.opened)

    val backend = RocmBackend(DeviceType.ROCM)

    /** Returns the number of resources of this kind that the library keeps for the rest of the process. */
    fun kept(kind: Live): Long = Gpu.open(1).run {
        when (kind) {
            Live.STREAMS -> staging(1).queues().toLong()
            Live.PINNED -> staging(1).blocks().toLong()
            else -> 0L
        }
    }

    test(
        "if a HIP call and all later calls of its kind fail, nothing leaks and no thread waits forever " +
            "[DEV-40, DEV-41]",
    ) {
        val calls = backend.failFromEach(Devices.device(DeviceType.ROCM, 1), onTheWay - changing + launch, ::kept)
        calls.values.sum() shouldBeGreaterThan 10
    }

    for (type in backend.types) {
        test("on $type, an error names the failed HIP call, and the failure leaks nothing [DEV-14]") {
            val calls = backend.failEach(Devices.device(type, 1), onTheWay + launch, ::kept) { function ->
                // the failed call did not restore the device, which the library logs
                if (HipDouble.currentDevice != 0) function shouldBe "hipSetDevice"
                Raw.setDevice(0)
            }
            for (function in used(type)) withClue("calls of $function") {
                calls.getValue(function) shouldBeGreaterThan 0
            }
        }
    }

    test("when memory is short, the error names the allocation, or the failed trim of a pool [DEV-14]") {
        val device = Devices.device(DeviceType.ROCM, 0)
        HipDouble.reset(memory = 4096)
        HipDouble.fail("hipMemGetInfo")
        shouldThrow<DeviceException> { device.allocate(8192) }.message shouldBe
            "hipMalloc on ROCM:0 failed: hipErrorOutOfMemory (2), asked for 8192 bytes"
        val child = childOf(PoolIsFull::class)
        withClue(child.output) { child.output.trim() shouldBe "good" }
    }

    test("the spec's lists of functions that fail, with the exceptions, contain every HIP function") {
        Devices.device(DeviceType.ROCM, 0).identity() // links the functions of the identity, in any order of specs
        // RocmCopySoakSpec and RocmSharingSoakSpec make these fail
        val elsewhere = listOf("hipIpcGetMemHandle", "hipIpcOpenMemHandle",
            "hipIpcCloseMemHandle", "hipMemGetAddressRange")
        // no test makes these fail yet; the device need not be open
        val identity = listOf("hipDeviceGetUuid", "hipDeviceGetPCIBusId")
        val silent = listOf("hipGetErrorName", "hipGetLastError")
        // the function of the other release
        val other = if (launch == "hipLaunchHostFunc") "hipStreamAddCallback" else "hipLaunchHostFunc"
        (onTheWay + launch + elsewhere + identity + backend.words.frees + atTheBeginning + outOfMemory + pinning +
            choosing + givingUp + silent + other) shouldContainExactlyInAnyOrder HipLibrary.functions().keys
    }

    test("an error code is described by HIP's name and number, and mapped to an errno") {
        HipErrors.describe(2) shouldBe "hipErrorOutOfMemory (2)"
        HipErrors.describe(12345) shouldBe "hipErrorUnknown (12345)"
        listOf(2, 1, 400, 801, 999).map(HipErrors::errno) shouldBe listOf(12, 22, 22, 38, 5)
    }
})

private fun used(type: DeviceType): List<String> = when (type) {
    DeviceType.ROCM -> onTheWay - "hipHostMalloc" - "hipStreamQuery" + launch
    else -> listOf("hipGetDevice", "hipSetDevice", "hipHostMalloc", "hipEventRecord", launch)
}

/** A program that allocates from a pool that has no memory left. */
internal object PoolIsFull {
    @JvmStatic
    fun main(args: Array<String>) {
        HipDouble.load()
        System.setProperty(Pool.REQUESTED, "true")
        val device = Devices.device(DeviceType.ROCM, 0)
        HipDouble.reset(memory = 4096)
        fun message() = runCatching { device.allocate(8192) }.exceptionOrNull()?.message
        HipDouble.fail("hipMemPoolTrimTo")
        check(message() == "hipMemPoolTrimTo on ROCM:0 failed: hipErrorUnknown (999)") { "${message()}" }
        HipDouble.fail("hipMemGetInfo")
        check(message() == "hipMallocFromPoolAsync on ROCM:0 failed: hipErrorOutOfMemory (2), asked for 8192 bytes") {
            "${message()}"
        }
        println("good")
    }
}
