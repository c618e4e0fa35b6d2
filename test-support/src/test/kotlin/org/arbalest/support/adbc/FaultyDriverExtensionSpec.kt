// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.adbc

import io.kotest.core.spec.style.FunSpec
import io.kotest.core.test.TestCase
import io.kotest.engine.test.TestResult
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeInstanceOf
import org.arbalest.support.adbc.FaultyDriver.Live
import java.util.concurrent.CountDownLatch
import kotlin.concurrent.thread
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds

/** What is said of a test that leaves something in the driver, and what of the next one. */
class FaultyDriverExtensionSpec : FunSpec({
    extension(FaultyDriver.needed)

    val passed = TestResult.Success(Duration.ZERO)
    val failed = TestResult.Failure(Duration.ZERO, AssertionError("its own"))
    val driver by lazy { FaultyDriver.full }
    val extension = FaultyDriverExtension()

    suspend fun complaint(testCase: TestCase, body: () -> Unit): String {
        val result = extension.intercept(testCase, 100.milliseconds) {
            body()
            passed
        }
        return result.shouldBeInstanceOf<TestResult.Failure>().cause.message!!
    }

    test("what a failed test's thread releases in the next test is not that test's fault, and hides no later leak") {
        val gate = CountDownLatch(1)
        lateinit var releasing: Thread
        extension.intercept(testCase) {
            val calls = AdbcCalls(driver).open()
            releasing = thread {
                gate.await()
                calls.close()
            }
            failed
        } shouldBe failed
        lateinit var left: AdbcCalls
        complaint(testCase) {
            gate.countDown()
            releasing.join()
            driver.live(Live.STATEMENTS) shouldBe 0
            left = AdbcCalls(driver).open()
        } shouldContain "the driver has 1 more statements than before"
        left.close()
        extension.intercept(testCase) { passed } shouldBe passed
    }
})
