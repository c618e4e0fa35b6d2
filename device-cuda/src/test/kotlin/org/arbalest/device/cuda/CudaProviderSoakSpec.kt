// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Availability
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.spi.SharedHandle
import org.arbalest.support.CCompiler
import org.arbalest.support.ChildJvm
import org.arbalest.support.NativeLibrary
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.gpu.CudaDouble
import org.arbalest.support.gpu.gpuProviderContract
import org.arbalest.testkit.contract.columns
import org.arbalest.testkit.contract.numbers
import org.arbalest.testkit.contract.pageable
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG
import kotlin.reflect.KClass

/** The probe of CUDA: the available devices, and the reasons why a driver is unavailable. */
class CudaProviderSoakSpec : FunSpec({
    extension(CCompiler.needed)
    extension(cudaDouble)
    extension(ResourceCountersExtension)

    include(gpuProviderContract(CudaBackend(DeviceType.CUDA)))

    test("the reason names a missing driver, or a driver that is too old [DEV-13]") {
        CuLibrary.missing(listOf("libcuda-none.so.1", "nvcuda-none.dll")) shouldBe
            "no CUDA driver was found; looked for libcuda-none.so.1, nvcuda-none.dll"
        val old = NativeLibrary.compile("gpu/old_cuda.c").file
        CuLibrary.missing(listOf("$old")) shouldBe
            "$old has no function cuLaunchHostFunc; a driver for CUDA 10.0 or newer is needed"
        CuLibrary.missing().shouldBeNull()
    }

    test("a driver that lacks a needed function is rejected, and the table can be linked to another one [DEV-13]") {
        val lacking = CudaDouble.compileAs("libcuda-lacking.so", setOf("cuEventQuery"))
        CuLibrary.missing(listOf("${lacking.file}")) shouldBe
            "${lacking.file} has no function cuEventQuery; a driver for CUDA 10.0 or newer is needed"
        inChild(LacksOneFirst::class, lacking.file.toString())
    }

    test("a driver that lacks features works without them [DEV-13]") {
        val lacking = setOf("cuIpcGetMemHandle", "cuMemAdvise", "cuMemAdvise_v2", "cuStreamIsCapturing")
        val library = CudaDouble.compileAs("libcuda-poorer.so", lacking)
        inChild(LacksFeatures::class, library.file.toString())
    }

    test("a missing optional function returns NOT_SUPPORTED, and a missing needed function throws [DEV-13]") {
        val type = FunctionDescriptor.of(JAVA_INT, JAVA_LONG)
        CuLibrary.handle("cuNoSuchFunction", type, true).invokeWithArguments(0L) shouldBe Cu.NOT_SUPPORTED
        shouldThrow<IllegalStateException> { CuLibrary.handle("cuNoSuchFunction", type, false) }.message shouldBe
            "the CUDA driver has no function cuNoSuchFunction"
    }

    test("the probe reports the driver's error code, and the next probe calls the driver again [DEV-13]") {
        CudaDouble.reset(devices = 0)
        val provider = CudaProvider()
        "${provider.probe(DeviceType.CUDA)}" shouldContain
            "cuInit failed: CUDA_ERROR_NO_DEVICE (100); the driver is for CUDA 13.0"
        CudaDouble.reset()
        CudaDouble.fail("cuInit", code = 803)
        "${provider.probe(DeviceType.CUDA)}" shouldContain "cuInit failed: unknown code (803)"
        CudaDouble.fail("cuDeviceGetCount", code = 3)
        "${provider.probe(DeviceType.CUDA)}" shouldContain "cuDeviceGetCount failed: CUDA_ERROR_NOT_INITIALIZED (3)"
        provider.probe(DeviceType.CUDA) shouldBe Availability.Ready(2)
    }

    test("the status has a line for each device type of each GPU [DEV-13]") {
        val text = Devices.describe()
        for (line in listOf(
            "CUDA:0: Arbalest Double 0, compute capability 9.0, 1.0 GiB; the driver is for CUDA 13.0",
            "CUDA:1: Arbalest Double 1",
            "CUDA_HOST:1: pinned main memory for Arbalest Double 1",
            "CUDA_MANAGED:0: managed memory of Arbalest Double 0",
        )) text shouldContain line
    }

    test("a GPU that fails to open leaks nothing, and opens the next time") {
        inChild(FailsToOpen::class)
    }

    test("a GPU with a far and a near peer names contexts only for the far one, and all bytes arrive [DEV-36]") {
        inChild(ThreeGpus::class)
    }

    test("a GPU without memory pools has none to choose, and ENOSYS says so [DEV-66]") {
        inChild(NoPools::class)
    }

    test("a driver for CUDA 12.8 copies several pieces in one call, and one piece by the older function [DEV-34]") {
        inChild(FirstBatches::class, options = listOf("-Darbalest.cuda.simulated=12.8"))
    }

    test("the devices work with a driver of the oldest supported CUDA version [DEV-13]") {
        inChild(OldestDriver::class, options = listOf("-Darbalest.cuda.simulated=${CuFunction.version(Cu.OLDEST)}"))
    }
})

private fun inChild(main: KClass<*>, vararg arguments: String, options: List<String> = emptyList()) {
    val child = ChildJvm.run(main, *arguments, options = options)
    withClue(child.output) {
        child.output.trim() shouldBe "good"
        child.exitCode shouldBe 0
    }
}

internal object NoPools {
    @JvmStatic
    fun main(args: Array<String>) {
        CudaDouble.load()
        CudaDouble.reset(hasPools = false)
        val gpu = Devices.device(DeviceType.CUDA, 0)
        for (call in listOf({ Cuda.currentPool(gpu) }, { Cuda.usePool(gpu, 0) })) {
            val failure = runCatching { call() }.exceptionOrNull() as DeviceException
            check(failure.errno() == Errno.ENOSYS && "CUDA:0 has no memory pools" in "$failure") { failure }
        }
        println("good")
    }
}

/** On the simulator each GPU reaches those after it. */
internal object ThreeGpus {
    @JvmStatic
    fun main(args: Array<String>) {
        CudaDouble.load()
        CudaDouble.reset(devices = 3)
        val (far, own, near) = List(3) { Devices.device(DeviceType.CUDA, it.toLong()) }
        own.createStream().use { stream ->
            for (peer in listOf(far, near)) {
                val calls = CudaDouble.calls("cuMemcpyPeerAsync")
                pageable(5_000, 7).use { source ->
                    source.copyTo(own.memory()).use { from ->
                        peer.allocate(5_000).use { to ->
                            stream.copy(from, to)
                            stream.synchronize()
                            to.copyTo(Devices.cpu().memory()).use { back ->
                                check(back.segment().mismatch(source.segment()) == -1L) { "$peer has other bytes" }
                            }
                        }
                    }
                }
                check(CudaDouble.calls("cuMemcpyPeerAsync") - calls == if (peer == far) 1L else 0L) { peer }
            }
        }
        println("good")
    }
}

internal object OldestDriver {
    @JvmStatic
    fun main(args: Array<String>) {
        CudaDouble.load()
        CudaProvider().probe(DeviceType.CUDA)
        for ((name, function) in CuLibrary.functions()) {
            check(CuLibrary.has(name) == (function.since() <= Cu.OLDEST)) { name }
        }
        CudaDouble.fail("cuDeviceGetAttribute")
        check(runCatching { Gpu.open(0) }.isFailure)
        check(CudaDouble.retained(0) == 0) { "the context is still retained" }
        for (type in listOf(DeviceType.CUDA, DeviceType.CUDA_HOST, DeviceType.CUDA_MANAGED)) {
            val device = Devices.device(type, 0)
            device.identity()
            numbers(100).use { it.copyTo(device) }.use { there ->
                there.copyTo(Devices.cpu()).use { back -> back.synchronize() }
            }
        }
        for (attribute in listOf(Cu.MEMORY_POOLS_SUPPORTED, 134)) check(Gpu.attribute(0, attribute) == 0) { attribute }
        val sharing = CudaSharing(Gpu.open(0))
        val failure = checkNotNull(
            runCatching { sharing.open(SharedHandle.of(1, MemorySegment.ofArray(ByteArray(64))), 8) }.exceptionOrNull(),
        )
        check("cuIpcOpenMemHandle" in "${failure.message}" && "NOT_SUPPORTED" !in "${failure.message}") { "$failure" }
        check(CudaDouble.violations == 0L) { CudaDouble.violation }
        println("good")
    }
}

/** A program on the first driver that copies batches. */
internal object FirstBatches {
    @JvmStatic
    fun main(args: Array<String>) {
        CudaDouble.load()
        val device = Devices.device(DeviceType.CUDA, 0)
        val functions = listOf("cuMemcpyBatchAsync", "cuMemcpyAsync")
        fun calls(copy: () -> Unit): List<Long> {
            val before = functions.map(CudaDouble::calls)
            copy()
            return functions.map(CudaDouble::calls).zip(before) { now, then -> now - then }
        }
        device.createStream().use { stream ->
            device.hostMemory().get().allocate(100).use { from ->
                device.allocate(100).use { to ->
                    val one = calls { stream.copy(from, to); stream.synchronize() }
                    check(one == listOf(0L, 1L)) { one }
                }
            }
            columns(20, device.hostMemory().get()).use { source ->
                val several = calls { source.copyTo(device, stream).use { it.synchronize() } }
                check(several == listOf(1L, 0L)) { several }
                source.copyTo(device, stream).use { there ->
                    there.copyTo(Devices.cpu(), stream).use { back ->
                        back.synchronize()
                        check(back.contentEquals(source))
                    }
                }
            }
        }
        check(CudaDouble.violations == 0L) { CudaDouble.violation }
        println("good")
    }
}

/** A program in which the probe rejects one library, and the table is then linked to another one. */
internal object LacksOneFirst {
    @JvmStatic
    fun main(args: Array<String>) {
        check("cuEventQuery" in "${CuLibrary.missing(listOf(args[0]))}")
        CudaDouble.load()
        check(CudaProvider().probe(DeviceType.CUDA) is Availability.Ready)
        println("good")
    }
}

internal object LacksFeatures {
    @JvmStatic
    fun main(args: Array<String>) {
        check(CuLibrary.missing(listOf(args[0])) == null)
        check(CudaProvider().probe(DeviceType.CUDA) is Availability.Ready)
        check(Cu.MEM_ADVISE.call(0, 0, 0, 0) == Cu.NOT_SUPPORTED)
        check(Cu.IPC_GET_MEM_HANDLE.call(0, 0) == Cu.NOT_SUPPORTED)
        val device = Devices.device(DeviceType.CUDA, 0)
        numbers(100).use { it.copyTo(device) }.use { there ->
            there.copyTo(Devices.cpu()).use { it.synchronize() }
        }
        println("good")
    }
}

internal object FailsToOpen {
    @JvmStatic
    fun main(args: Array<String>) {
        CudaDouble.load()
        for (function in listOf(
            "cuDeviceGet", "cuDevicePrimaryCtxRetain", "cuDeviceGetAttribute", "cuMemPoolCreate", "cuDeviceTotalMem",
            "cuMemPoolSetAttribute",
            "cuCtxPushCurrent", "cuStreamCreate",
        )) {
            CudaProvider().probe(DeviceType.CUDA)
            CudaDouble.fail(function, code = 999)
            val failure = runCatching { Gpu.open(0) }.exceptionOrNull()
            check(failure is DeviceException &&
                "$function on CUDA:0 failed: unknown code (999)" in failure.message.orEmpty()) { "$function: $failure" }
            check(CudaDouble.retained(0) == 0) { "$function left the context retained" }
            check(CudaDouble.contextDepth == 0)
        }
        Devices.device(DeviceType.CUDA, 0).createStream().use { it.synchronize() }
        check(CudaDouble.retained(0) == 1)
        println("good")
    }
}
