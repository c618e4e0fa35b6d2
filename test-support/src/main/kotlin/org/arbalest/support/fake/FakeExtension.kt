// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.fake

import io.kotest.core.extensions.TestCaseExtension
import io.kotest.core.test.TestCase
import io.kotest.core.test.TestType
import io.kotest.engine.test.TestResult
import org.arbalest.support.Settling
import kotlin.time.Duration

/**
 * Fails a test that leaves an object of a fake device live, or that caused a violation. A test that provokes a
 * violation calls [FakeDevice.reset] at its end. Other threads have five seconds to release their objects, or two if
 * nothing changes.
 *
 * A test that leaks or fails leaves nothing for the next one: its held commands run, its user events are completed, and
 * the objects that are left then are not counted any more. A thread may release such an object while the next test
 * runs, as [org.arbalest.testkit.contract.Baseline] describes.
 */
object FakeExtension : TestCaseExtension {
    override suspend fun intercept(testCase: TestCase, execute: suspend (TestCase) -> TestResult): TestResult =
        intercept(testCase, null, execute)

    /** @param quiet the time without a change after which the wait ends; null for [Settling]'s default */
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
