// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceStream
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.spi.ArrayBridge
import org.arbalest.device.types.Field
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.gpu.CudaDouble
import org.arbalest.testkit.contract.Held
import org.arbalest.testkit.contract.eventually
import java.util.concurrent.ExecutionException
import java.util.concurrent.FutureTask
import java.util.concurrent.TimeUnit.SECONDS
import java.util.logging.Level
import java.util.logging.Logger
import kotlin.random.Random

/** The conversion of booleans on the simulator: every slice, and failures of the driver. */
class CudaBooleansSoakSpec : FunSpec({
    extension(CCompiler.needed)
    extension(cudaDouble)
    extension(ResourceCountersExtension)
    extension(gates.opened)
    extension(KernelsOnDouble.extension)

    val device by lazy { Devices.device(DeviceType.CUDA, 0) }

    fun <T> withArray(rows: Int, block: (DeviceArray, DeviceStream) -> T): T = device.createStream().use { stream ->
        randomBooleans(BITS, rows, true, Random(1)).use { it.copyTo(device, stream) }.use {
            it.synchronize()
            block(it, stream).also { stream.synchronize() }
        }
    }

    /** Converts with kernels that are loaded again. */
    fun DeviceArray.converted(to: Field, stream: DeviceStream): DeviceArray {
        val module = KernelModule(Gpu.open(0))
        return ArrayBridge.convertTo(this, to, stream) { module.load() }
    }

    fun isReleased() = Held.now().run { buffers() == 0L && arrays() == 0L && events() == 0L && waits() == 0L }

    test("slices of each start and of each length have the CPU's booleans [REQ-24]") {
        device.createStream().use { compareSlices(it, 0L..70, 0L..200) }
    }

    test("nothing is loaded, allocated or launched for no rows, and without booleans to convert [REQ-24]") {
        withArray(100) { array, stream ->
            val calls = listOf("cuLaunchKernel", "cuModuleLoadData", "cuMemAllocFromPoolAsync", "cuEventRecord")
            val before = calls.map(CudaDouble::calls)
            array.slice(7, 0).use { it.converted(BYTES, stream) }.use { it.length() shouldBe 0 }
            array.converted(BITS.withName("c"), stream).use { it.length() shouldBe 100 }
            calls.map(CudaDouble::calls) shouldBe before
        }
    }

    test("the kernels are loaded once for a GPU [REQ-24]") {
        withArray(100) { array, stream ->
            Cuda.convertTo(array, BYTES, stream).close()
            val before = CudaDouble.calls("cuModuleLoadData")
            repeat(3) { Cuda.convertTo(array, BYTES, stream).close() }
            CudaDouble.calls("cuModuleLoadData") shouldBe before
        }
        eventually("all is released") { isReleased() }
    }

    test("a failure to load a kernel is thrown before any queueing, and the next call continues [REQ-24]") {
        withArray(100) { array, stream ->
            val module = KernelModule(Gpu.open(0))
            val none = "CUDA_ERROR_NO_BINARY_FOR_GPU (209)"
            val failures = listOf(none, "CUDA_ERROR_INVALID_PTX (218)", "CUDA_ERROR_JIT_COMPILER_NOT_FOUND (221)",
                "CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222)", "CUDA_ERROR_JIT_COMPILATION_DISABLED (223)")
                .map { Triple("cuModuleLoadData", 1L, it) } + List(2) { Triple("cuModuleGetFunction", it + 1L, none) }
            for ((function, nth, failure) in failures) {
                val launches = CudaDouble.calls("cuLaunchKernel")
                val fresh = KernelModule(Gpu.open(0))
                CudaDouble.fail(function, nth, failure.substringAfter('(').dropLast(1).toInt())
                shouldThrow<DeviceException> { ArrayBridge.convertTo(array, BYTES, stream) { fresh.load() } }
                    .message shouldContain "$function on CUDA:0 failed: $failure"
                CudaDouble.failNothing() shouldBe 0
                CudaDouble.calls("cuLaunchKernel") shouldBe launches
                ArrayBridge.convertTo(array, BYTES, stream) { fresh.load() }
                    .use { valuesOf(it) shouldBe valuesOf(array) }
            }
            CudaDouble.fail("cuModuleLoadData", code = 801) // as without the function
            shouldThrow<DeviceException> { ArrayBridge.convertTo(array, BYTES, stream) { module.load() } }
                .errno() shouldBe Errno.ENOSYS
        }
        eventually("all is released") { isReleased() }
    }

    test("each call that fails in a conversion is reported, and releases everything [REQ-24]") {
        val logger = Logger.getLogger("org.arbalest")
        val level = logger.level
        logger.level = Level.OFF
        try {
            for (function in listOf("cuLaunchKernel", "cuMemAllocFromPoolAsync", "cuEventCreate", "cuEventRecord",
                "cuLaunchHostFunc")) {
                var nth = 0L
                var failed = 0L
                do {
                    CudaDouble.fail(function, ++nth)
                    val failure = runCatching {
                        withArray(100) { array, stream ->
                            Cuda.convertTo(array, BYTES, stream).use { bytes ->
                                Cuda.convertTo(bytes, BITS, stream).use { it.synchronize() }
                            }
                        }
                    }.exceptionOrNull()
                    val pending = CudaDouble.failNothing()
                    withClue("$function, call $nth: $failure") {
                        if (failure != null) {
                            failed++
                            failure.message shouldContain "$function on CUDA:0 failed"
                        }
                        eventually("all is released: ${Held.now()}") { isReleased() && Held.now().queues() == 0L }
                        Frees.CALLS.drain()
                        CudaDouble.violation shouldBe ""
                    }
                } while (pending == 0)
                if (function != "cuLaunchHostFunc") withClue(function) { failed shouldBeGreaterThan 0 }
            }
        } finally {
            logger.level = level
        }
    }

    test("a conversion whose event is not recorded keeps the memory until its stream has done the work [REQ-24]") {
        withArray(100) { array, stream ->
            Cuda.convertTo(array, BYTES, stream).close()
            stream.synchronize()
            eventually("only the array has memory") { Held.now().run { buffers() == 1L && waits() == 0L } }
            val gate = gates.shut(stream)
            CudaDouble.fail("cuEventRecord")
            val converting = FutureTask { Cuda.convertTo(array, BYTES, stream).close() }
            val thread = Thread.ofPlatform().start(converting)
            eventually("the conversion waits for its stream") {
                thread.stackTrace.any { "AbandonedWork" in it.className }
            }
            CudaDouble.failNothing() shouldBe 0
            Held.now().buffers() shouldBe 2
            gate.open()
            shouldThrow<ExecutionException> { converting.get(5, SECONDS) }.cause!!.message shouldContain
                "cuEventRecord on CUDA:0 failed: unknown code (999)"
            Held.now().buffers() shouldBe 1
        }
        eventually("all is released") { isReleased() }
    }

    test("a stream that cannot wait for an array converts nothing, and keeps nothing [REQ-24]") {
        device.createStream().use { loading ->
            device.createStream().use { converting ->
                val gate = gates.shut(loading)
                randomBooleans(BITS, 100, true, Random(2)).use { it.copyTo(device, loading) }.use { there ->
                    val before = Held.now()
                    CudaDouble.fail("cuStreamWaitEvent")
                    shouldThrow<DeviceException> { Cuda.convertTo(there, BYTES, converting) }.message shouldContain
                        "cuStreamWaitEvent on CUDA:0 failed: unknown code (999)"
                    Held.now().run { buffers() shouldBe before.buffers() }
                }
                gate.open()
                loading.synchronize()
            }
        }
        eventually("all is released") { isReleased() }
    }

    test("a stream that its owner captures converts nothing, and the graph stays as it was [DEV-60, REQ-24]") {
        withArray(100) { array, stream ->
            val handle = stream.handle()
            CudaDouble.captured(handle) {
                shouldThrow<IllegalStateException> { array.converted(BYTES, stream) }.message shouldContain
                    "is being captured"
            } shouldBe 0
        }
    }

    test("kernels are loaded and launched while another thread captures a graph [DEV-23, REQ-24]") {
        withArray(100) { array, stream ->
            CudaDouble.capturing {
                array.converted(BYTES, stream).use { valuesOf(it) shouldBe valuesOf(array) }
                CudaDouble.refused shouldBe 0
                CudaDouble.captureMode shouldBe 0
            }
        }
        eventually("all is released") { isReleased() }
    }

    test("a stream of another GPU is rejected [REQ-24]") {
        withArray(10) { array, _ ->
            Devices.device(DeviceType.CUDA, 1).createStream().use { other ->
                shouldThrow<IllegalArgumentException> { Cuda.convertTo(array, BYTES, other) }.message shouldContain
                    "a stream of CUDA:1 was given for an array on CUDA:0"
            }
        }
    }
})
