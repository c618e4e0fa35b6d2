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

/** Fail in the middle of a batch's journey. */
private val onTheWay = listOf(
    "hipGetDevice", "hipSetDevice", "hipStreamCreateWithFlags", "hipMalloc", "hipHostMalloc", "hipMemcpyAsync",
    "hipDrvPointerGetAttributes", "hipEventCreateWithFlags", "hipEventRecord", "hipEventQuery", "hipStreamWaitEvent",
    "hipStreamQuery",
    "hipThreadExchangeStreamCaptureMode", "hipStreamIsCapturing",
)

/** Where these fail, what they have changed of a thread is not restored. */
private val changing = setOf("hipGetDevice", "hipSetDevice", "hipThreadExchangeStreamCaptureMode")

/** Fail when a GPU is opened, or asked for: see RocmProviderSoakSpec. */
private val atTheBeginning = listOf(
    "hipGetDeviceCount", "hipRuntimeGetVersion", "hipDeviceGetName", "hipDeviceTotalMem", "hipMemPoolCreate",
    "hipMemPoolSetAttribute", "hipMemPoolDestroy", "hipDeviceCanAccessPeer", "hipDeviceEnablePeerAccess",
    "hipMemPoolSetAccess",
)

/** Fail when memory is short. */
private val outOfMemory = listOf("hipMemPoolTrimTo", "hipMemGetInfo", "hipMallocFromPoolAsync")

/** Fail when memory of others is pinned. */
private val pinning = listOf("hipHostRegister", "hipHostGetDevicePointer", "hipHostUnregister")

/** Only what gives up half a copy waits like this, and a pool. */
private val givingUp = listOf("hipStreamSynchronize")

/** Every call of HIP's fails once; those that give something back, in RocmSpec. */
class RocmFailureSoakSpec : FunSpec({
    extension(CCompiler.needed)
    extension(hipDouble)
    extension(ResourceCountersExtension)
    extension(gates.opened)

    val backend = RocmBackend(DeviceType.ROCM)

    /** What is kept for good. */
    fun kept(kind: Live): Long = Gpu.open(1).run {
        when (kind) {
            Live.STREAMS -> staging(1).queues().toLong()
            Live.PINNED -> staging(1).blocks().toLong()
            else -> 0L
        }
    }

    test(
        "from each call on that fails, and all of its kind after it, nothing is left of what was half done, and " +
            "nobody waits for ever [DEV-40, DEV-41]",
    ) {
        val calls = backend.failFromEach(Devices.device(DeviceType.ROCM, 1), onTheWay - changing + launch, ::kept)
        calls.values.sum() shouldBeGreaterThan 10
    }

    for (type in backend.types) {
        test("on $type each call that fails is named, and nothing is left of what was half done [DEV-14]") {
            val calls = backend.failEach(Devices.device(type, 1), onTheWay + launch, ::kept) { function ->
                // restoring it failed, and the log says so
                if (HipDouble.currentDevice != 0) function shouldBe "hipSetDevice"
                Raw.setDevice(0)
            }
            for (function in used(type)) withClue("calls of $function") {
                calls.getValue(function) shouldBeGreaterThan 0
            }
        }
    }

    test("what fails while memory is short [DEV-14]") {
        val device = Devices.device(DeviceType.ROCM, 0)
        HipDouble.reset(memory = 4096)
        HipDouble.fail("hipMemGetInfo")
        shouldThrow<DeviceException> { device.allocate(8192) }.message shouldBe
            "hipMalloc on ROCM:0 failed: hipErrorOutOfMemory (2), asked for 8192 bytes"
        val child = childOf(PoolIsFull::class)
        withClue(child.output) { child.output.trim() shouldBe "good" }
    }

    test("every call that has a code is made to fail here or when a GPU is opened") {
        Devices.device(DeviceType.ROCM, 0).identity() // so that its functions are looked up in every order of specs
        // Rocm{Copy,Sharing}Spec
        val elsewhere = listOf("hipMemcpyBatchAsync", "hipIpcGetMemHandle", "hipIpcOpenMemHandle",
            "hipIpcCloseMemHandle", "hipMemGetAddressRange")
        // of a device that need not be open: no test makes them fail yet
        val identity = listOf("hipDeviceGetUuid", "hipDeviceGetPCIBusId")
        val silent = listOf("hipGetErrorName", "hipGetLastError")
        // that of the other release
        val other = if (launch == "hipLaunchHostFunc") "hipStreamAddCallback" else "hipLaunchHostFunc"
        (onTheWay + launch + elsewhere + identity + backend.words.frees + atTheBeginning + outOfMemory + pinning +
            givingUp + silent + other) shouldContainExactlyInAnyOrder HipLibrary.functions().keys
    }

    test("the names of HIP's errors, and what they are to C") {
        HipErrors.describe(2) shouldBe "hipErrorOutOfMemory (2)"
        HipErrors.describe(12345) shouldBe "hipErrorUnknown (12345)"
        listOf(2, 1, 400, 801, 999).map(HipErrors::errno) shouldBe listOf(12, 22, 22, 38, 5)
    }
})

private fun used(type: DeviceType): List<String> = when (type) {
    DeviceType.ROCM -> onTheWay - "hipHostMalloc" - "hipStreamQuery" + launch
    else -> listOf("hipGetDevice", "hipSetDevice", "hipHostMalloc", "hipEventRecord", launch)
}
/** A pool that has no memory left. */
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
