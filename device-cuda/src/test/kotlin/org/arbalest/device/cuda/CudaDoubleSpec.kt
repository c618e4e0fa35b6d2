// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda

import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.test.TestResult
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeInstanceOf
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.support.CCompiler
import java.util.concurrent.CountDownLatch
import kotlin.concurrent.thread
import kotlin.time.Duration

/** The result that the simulator's extension gives for a test that leaks, and for the tests after it. */
class CudaDoubleSpec : FunSpec({
    extension(CCompiler.needed)

    val passed = TestResult.Success(Duration.ZERO)
    val failed = TestResult.Failure(Duration.ZERO, AssertionError("its own"))

    test("a late release by a failed test's thread does not fail the next test, and hides no later leak") {
        val gate = CountDownLatch(1)
        lateinit var releasing: Thread
        cudaDouble.intercept(testCase) {
            val buffer = Devices.device(DeviceType.CUDA, 0).allocate(1000)
            releasing = thread {
                gate.await()
                buffer.close()
            }
            failed
        } shouldBe failed
        cudaDouble.intercept(testCase) {
            gate.countDown()
            releasing.join()
            passed
        } shouldBe passed
        val left = mutableListOf<AutoCloseable>()
        val leaking = cudaDouble.intercept(testCase) {
            left += Devices.device(DeviceType.CUDA, 0).allocate(1000)
            passed
        }
        leaking.shouldBeInstanceOf<TestResult.Failure>().cause.message shouldContain
            "the runtime has more than before: {DEVICE=1}"
        left.forEach { it.close() }
    }
})
