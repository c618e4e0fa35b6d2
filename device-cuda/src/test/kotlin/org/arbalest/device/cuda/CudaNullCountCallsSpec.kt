// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceStream
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.gpu.CudaDouble
import org.arbalest.testkit.contract.Held
import org.arbalest.testkit.contract.eventually

/** The calls of null counts on a GPU, and their failures, on the simulator. */
class CudaNullCountCallsSpec : FunSpec({
    extension(CCompiler.needed)
    extension(cudaDouble)
    extension(ResourceCountersExtension)
    extension(gates.opened)
    extension(KernelsOnDouble.extension)

    val device by lazy { Devices.device(DeviceType.CUDA, 0) }

    fun withArray(rows: Long, use: (DeviceArray, DeviceStream, List<Long>) -> Unit) =
        device.createStream().use { stream ->
            val known = structWithNulls(rows, Devices.cpu()).use { it.countNulls(stream) }.use { nullCounts(it) }
            structWithNulls(rows, device).use { use(it, stream, known) }
        }

    fun isReleased() = Held.now().run { buffers() == 0L && arrays() == 0L && events() == 0L && waits() == 0L }

    test("one launch counts in all bitmaps if they are large, and none if they are small [ARR-22]") {
        fun launches(rows: Long): Long {
            val before = CudaDouble.calls("cuLaunchKernel")
            withArray(rows) { there, stream, known -> there.countNulls(stream).use { nullCounts(it) shouldBe known } }
            return CudaDouble.calls("cuLaunchKernel") - before
        }
        launches(MANY) shouldBe 1
        CudaDouble.grid() shouldBe listOf(17, 3, 1, 256, 1, 1) // a thread for each 512 bits, and a row for each bitmap
        launches(MANY / 3 + 64) shouldBe 1
        launches(MANY / 3 - 32) shouldBe 0
        eventually("all is released") { isReleased() }
    }

    test("without a translator for kernels the bitmaps are copied, and the driver is queried once [ARR-22]") {
        withArray(MANY) { there, stream, known ->
            for (code in listOf(209, 218, 221, 222, 223)) withClue("code $code") {
                val module = KernelModule(Gpu.open(0))
                CudaDouble.fail("cuModuleLoadData", 1, code)
                module.loadCounter() shouldBe null
                val calls = CudaDouble.calls("cuModuleLoadData")
                module.loadCounter() shouldBe null
                CudaDouble.calls("cuModuleLoadData") shouldBe calls
            }
            for ((function, code) in listOf("cuModuleLoadData" to 2, "cuModuleGetFunction" to 2,
                "cuModuleGetFunction" to 209)) withClue("$function, code $code") {
                val module = KernelModule(Gpu.open(0))
                CudaDouble.fail(function, 1, code)
                module.loadCounter() shouldBe null
                CudaDouble.failNothing() shouldBe 0
                (module.loadCounter() == null) shouldBe (code == 209) // without memory it tries again
            }
            CudaDouble.fail("cuModuleLoadData", 1, 304)
            shouldThrow<DeviceException> { KernelModule(Gpu.open(0)).loadCounter() }
                .message shouldContain "cuModuleLoadData on CUDA:0 failed"
            CudaDouble.failNothing()
            there.countNulls(stream).use { nullCounts(it) shouldBe known }
        }
        eventually("all is released") { isReleased() }
    }

    test("without memory for the table the bitmaps are copied, and other failures are thrown [ARR-22]") {
        withArray(MANY) { there, stream, known ->
            there.countNulls(stream).use { nullCounts(it) shouldBe known } // loads the kernels
            CudaDouble.failFrom("cuMemAllocFromPoolAsync", code = 2)
            val launches = CudaDouble.calls("cuLaunchKernel")
            there.countNulls(stream).use { nullCounts(it) shouldBe known }
            CudaDouble.failNothing()
            CudaDouble.calls("cuLaunchKernel") shouldBe launches
            val queuing = mapOf("cuLaunchKernel" to 1L, "cuMemcpyBatchAsync" to 2L, "cuEventRecord" to 3L)
            for ((function, calls) in queuing) {
                for (nth in 1..calls) withClue("$function, call $nth") {
                    CudaDouble.fail(function, nth, 304)
                    shouldThrow<DeviceException> { there.countNulls(stream) }.message shouldContain function
                    CudaDouble.failNothing() shouldBe 0
                }
            }
            there.countNulls(stream).use { nullCounts(it) shouldBe known }
        }
        eventually("all is released") { isReleased() }
    }
})
