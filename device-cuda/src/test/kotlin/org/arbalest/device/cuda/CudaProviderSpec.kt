package org.arbalest.device.cuda

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DataTypes
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Field
import org.arbalest.device.Ledger
import org.arbalest.device.abi.ArrowArrayStruct
import org.arbalest.device.abi.ArrowDeviceArrayStruct
import org.arbalest.device.abi.DeviceType
import org.arbalest.testkit.CCompiler
import org.arbalest.testkit.ChildJvm
import org.arbalest.testkit.LedgerExtension
import org.arbalest.testkit.NativeLibrary
import org.arbalest.testkit.PeerNodes
import org.arbalest.testkit.contract.eventually
import org.arbalest.testkit.contract.numbers
import org.arbalest.testkit.gpu.CudaDouble
import org.arbalest.testkit.gpu.GpuDouble
import java.lang.foreign.Arena
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG
import kotlin.reflect.KClass

/** What there is, and what is missing and why. */
class CudaProviderSpec : FunSpec({
    extension(CCompiler.needed)
    extension(CudaDouble.extension)
    extension(LedgerExtension)

    test("DEV-13 an absent driver, and one that is too old, are answers with a reason") {
        CuLibrary.missing(listOf("libcuda-none.so.1", "nvcuda-none.dll")) shouldBe "no CUDA driver was found; looked for libcuda-none.so.1, nvcuda-none.dll"
        val old = NativeLibrary.compile("old_cuda.c").file
        CuLibrary.missing(listOf("$old")) shouldBe "$old has no function cuLaunchHostFunc; a driver for CUDA 10.0 or newer is needed"
        CuLibrary.missing().shouldBeNull()
    }

    test("DEV-13 functions that an older driver lacks are not supported, and nothing else") {
        val type = FunctionDescriptor.of(JAVA_INT, JAVA_LONG)
        CuLibrary.handle("cuNoSuchFunction", type, true).invokeWithArguments(0L) shouldBe Cu.NOT_SUPPORTED
        shouldThrow<IllegalStateException> { CuLibrary.handle("cuNoSuchFunction", type, false) }.message shouldBe
            "the CUDA driver has no function cuNoSuchFunction"
    }

    test("DEV-13 a driver without a GPU, or that fails, says so by its code, and is asked again") {
        CudaDouble.reset(devices = 0)
        val provider = CudaProvider()
        "${provider.probe(DeviceType.CUDA)}" shouldContain "cuInit failed: CUDA_ERROR_NO_DEVICE (100); the driver is for CUDA 12.6"
        CudaDouble.reset()
        CudaDouble.fail("cuInit", code = 803)
        "${provider.probe(DeviceType.CUDA)}" shouldContain "cuInit failed: unknown code (803)"
        CudaDouble.fail("cuDeviceGetCount", code = 3)
        "${provider.probe(DeviceType.CUDA)}" shouldContain "cuDeviceGetCount failed: CUDA_ERROR_NOT_INITIALIZED (3)"
        provider.probe(DeviceType.CUDA) shouldBe org.arbalest.device.spi.Availability.Ready(2)
    }

    test("DEV-13 the status has a line for each kind of each GPU") {
        val text = Devices.describe()
        for (line in listOf(
            "CUDA:0: Arbalest Double 0, compute capability 9.0, 1.0 GiB; the driver is for CUDA 12.6",
            "CUDA:1: Arbalest Double 1",
            "CUDA_HOST:1: pinned main memory for Arbalest Double 1",
            "CUDA_MANAGED:0: managed memory of Arbalest Double 0",
        )) text shouldContain line
    }

    test("DEV-09 a GPU that is not there is opaque, and is in nobody's reach") {
        val error = shouldThrow<DeviceException> { Devices.device(DeviceType.CUDA, 77) }
        error.message shouldContain "CUDA:77 is unavailable"
    }

    test("without pools the driver's synchronous functions serve, and nobody waits for the GPU when memory is freed") { inChild(WithoutPools::class) }

    test("DEV-18 a GPU is found that comes when its driver has been there for long, and a driver that was installed later") { inChild(ComesLater::class) }

    test("a GPU that fails to open leaves nothing, and opens the next time") { inChild(FailsToOpen::class) }

    test("JVM exit: what is still open at the end, on daemon threads too, ends with the process") { inChild(LeavesAllOpen::class) }
})

private fun inChild(main: KClass<*>) {
    val child = ChildJvm.run(main)
    withClue(child.output) {
        child.output.trim() shouldBe "good"
        child.exitCode shouldBe 0
    }
}

internal object WithoutPools {
    @JvmStatic
    fun main(args: Array<String>) {
        CudaDouble.reset(hasPools = false)
        val device = Devices.device(DeviceType.CUDA, 0)
        check(!Gpu.open(0).pool.isThere)
        device.createStream().use { stream ->
            val gate = gates.shut(stream)
            device.allocate(100).close() // cuMemFree waits for the gate, this does not
            numbers(100).use { it.copyTo(device, stream) }.use { there ->
                there.copyTo(Devices.cpu(), stream).use { back ->
                    gate.open()
                    back.synchronize()
                    check(back.column("a").getLong(99) == 297L)
                }
            }
            CudaDouble.reset(memory = 4096, hasPools = false)
            repeat(20) { device.allocate(3000).close() } // each waits for the free of the one before
        }
        eventually("all is freed") { Ledger.now().isZero }
        Frees.drain()
        check(CudaDouble.live(GpuDouble.Live.DEVICE) == 0L)
        check(CudaDouble.violation == "") { CudaDouble.violation }
        println("good")
    }
}

internal object ComesLater {
    /** An array on the GPU, without rows. */
    private fun imported(): DeviceArray = Arena.ofConfined().use { arena ->
        val (array, device) = arena.allocate(ArrowArrayStruct.LAYOUT) to arena.allocate(ArrowDeviceArrayStruct.LAYOUT)
        PeerNodes.array(array, length = 0, buffers = 2)
        PeerNodes.deviceArray(device, array, 0, DeviceType.CUDA.code())
        DeviceArray.importDeviceArray(device, Field.of("n", DataTypes.INT32))
    }

    private fun failure() = "${runCatching { Devices.device(DeviceType.CUDA, 0) }.exceptionOrNull()?.message}"

    @JvmStatic
    fun main(args: Array<String>) {
        if (CuLibrary.missing() == null) return println("good") // the real one is installed, and loaded from now on
        check("no CUDA driver was found" in failure()) { failure() }
        val early = imported()
        check(early.device().isOpaque)
        CudaDouble.reset(devices = 0) // loads it
        check("CUDA_ERROR_NO_DEVICE (100)" in failure()) { failure() }
        check(imported().use { it.device().isOpaque })
        CudaDouble.reset()
        check(!Devices.device(DeviceType.CUDA, 0).isOpaque)
        check(!imported().use { it.device().isOpaque })
        check(early.device().isOpaque) // stays as it was
        early.close()
        check(Ledger.now().arrays() == 0L)
        println("good")
    }
}

internal object FailsToOpen {
    @JvmStatic
    fun main(args: Array<String>) {
        CudaDouble.load()
        for (function in listOf(
            "cuDeviceGet", "cuDevicePrimaryCtxRetain", "cuDeviceGetAttribute", "cuMemPoolCreate", "cuDeviceTotalMem", "cuMemPoolSetAttribute",
            "cuCtxPushCurrent", "cuStreamCreate",
        )) {
            CudaProvider().probe(DeviceType.CUDA)
            CudaDouble.fail(function, code = 999)
            val failure = runCatching { Gpu.open(0) }.exceptionOrNull()
            check(failure is DeviceException && "$function on CUDA:0 failed: unknown code (999)" in failure.message.orEmpty()) { "$function: $failure" }
            check(CudaDouble.retained(0) == 0) { "$function left the context retained" }
            check(CudaDouble.contextDepth == 0)
        }
        Devices.device(DeviceType.CUDA, 0).createStream().use { it.synchronize() }
        check(CudaDouble.retained(0) == 1)
        println("good")
    }
}

internal object LeavesAllOpen {
    @JvmStatic
    fun main(args: Array<String>) {
        CudaDouble.load()
        val device = Devices.device(DeviceType.CUDA, 0)
        val stream = device.createStream()
        gates.shut(stream)
        val there = numbers(100).copyTo(device, stream)
        checkNotNull(there.syncEvent()).completion().thenRun { println("told") }
        stream.copy(device.allocate(10), device.hostMemory().get().allocate(10))
        println("good")
    }
}
