// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.fake

import io.kotest.core.extensions.TestCaseExtension
import io.kotest.core.test.TestCase
import io.kotest.core.test.TestType
import io.kotest.engine.test.TestResult
import org.arbalest.support.Settling
import kotlin.time.Duration

/**
 * Fails a test after which a fake device has not got everything back, or has seen something wrong; a test that provokes
 * a violation says so by calling [FakeDevice.reset] at its end. What other threads are just releasing has five seconds
 * to be gone, or two if nothing changes.
 *
 * A test that leaks or fails leaves nothing for the next one: what it held back is done, its user events are completed,
 * and what is left then is not counted any more. A thread may release it while the next test runs, as
 * [org.arbalest.testkit.contract.Baseline] says.
 */
object FakeExtension : TestCaseExtension {
    override suspend fun intercept(testCase: TestCase, execute: suspend (TestCase) -> TestResult): TestResult =
        intercept(testCase, null, execute)

    /** @param quiet how long nothing may change before the wait for what is left ends; null for [Settling]'s answer */
    suspend fun intercept(testCase: TestCase, quiet: Duration?, execute: suspend (TestCase) -> TestResult): TestResult {
        if (testCase.type != TestType.Test) return execute(testCase)
        FakeDevice.all().forEach {
            it.keepDefaultStream()
            it.countFromHere()
        }
        val result = execute(testCase)
        if (!result.isSuccess) FakeDevice.all().forEach { it.letGo() }
        FakeDevice.all().forEach { it.keepDefaultStream() } // also of a device that the test has opened
        Settling.leftAfter(quiet ?: Settling.quietAfter(result)) {
            FakeDevice.all().map { it.counts() }.takeIf { all -> all.any { it != NOTHING } }
        }
        val wrong = FakeDevice.all().mapNotNull(::wrong)
        FakeDevice.all().forEach {
            it.letGo()
            it.countFromHere()
        }
        if (!result.isSuccess || wrong.isEmpty()) return result
        return TestResult.Failure(result.duration, AssertionError(wrong.joinToString("; ")))
    }

    private fun wrong(device: FakeDevice): String? {
        val violations = device.violations()
        return when {
            violations.isNotEmpty() -> "${device.name} saw ${violations.size} violations, first: ${violations.first()}"
            device.counts() != NOTHING -> "${device.name} has ${device.counts()} more than before the test"
            else -> null
        }
    }

    private val NOTHING = FakeCounts(0, 0, 0, 0)
}
