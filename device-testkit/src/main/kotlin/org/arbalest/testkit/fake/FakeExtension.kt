// SPDX-License-Identifier: Apache-2.0
package org.arbalest.testkit.fake

import io.kotest.core.extensions.TestCaseExtension
import io.kotest.core.test.TestCase
import io.kotest.core.test.TestType
import io.kotest.engine.test.TestResult
import kotlinx.coroutines.delay
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/**
 * Fails a test after which a fake device has not got everything back, or has seen something wrong; a test that provokes a violation says so
 * by calling [FakeDevice.reset] at its end. What other threads are just releasing has twenty seconds to be gone.
 */
public object FakeExtension : TestCaseExtension {
    private val grace = 20.seconds

    override suspend fun intercept(testCase: TestCase, execute: suspend (TestCase) -> TestResult): TestResult {
        if (testCase.type != TestType.Test) return execute(testCase)
        val before = FakeDevice.all().associateWith { it.counts() }
        val result = execute(testCase)
        val wrong = if (result.isSuccess) wrongAfterGrace(before) else null
        FakeDevice.all().forEach { it.reset() }
        return if (wrong == null) result else TestResult.Failure(result.duration, AssertionError(wrong))
    }

    private suspend fun wrongAfterGrace(before: Map<FakeDevice, FakeCounts>): String? {
        val patience = System.nanoTime() + grace.inWholeNanoseconds
        while (true) {
            val wrong = FakeDevice.all().mapNotNull { wrong(it, before[it] ?: FakeCounts(0, 0, 0, 0)) }
            if (wrong.isEmpty()) return null
            if (System.nanoTime() > patience) return wrong.joinToString("; ")
            delay(1.milliseconds)
        }
    }

    /** A default stream may have been made, and stays. */
    private fun wrong(device: FakeDevice, before: FakeCounts): String? {
        val after = device.counts()
        val isBack = after.copy(queues = 0) == before.copy(queues = 0) && after.queues - before.queues in 0..1
        return when {
            device.violations().isNotEmpty() -> "${device.name} saw ${device.violations().size} violations, first: ${device.violations().first()}"
            !isBack -> "${device.name} has $after, and had $before before the test"
            else -> null
        }
    }
}
