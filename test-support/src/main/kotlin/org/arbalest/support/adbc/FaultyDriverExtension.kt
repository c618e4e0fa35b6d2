// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.adbc

import io.kotest.core.extensions.TestCaseExtension
import io.kotest.core.test.TestCase
import io.kotest.core.test.TestType
import io.kotest.engine.test.TestResult
import org.arbalest.support.Settling
import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds

/**
 * Resets a driver before each test of a spec.
 *
 * It fails a test that leaves an object of the driver live, releases an object twice, breaks a rule of `adbc.h`, or
 * uses one object in two threads at the same time. A test that provokes such a fault calls [FaultyDriver.reset] at its
 * end. It also fails a test whose planned fault does not occur, and a test that leaves a call running although the
 * extension lets it continue.
 *
 * Other threads have five seconds to finish their releases, or two if nothing changes; and five to finish their calls.
 * A later release does not fail the next test, as [org.arbalest.testkit.contract.Baseline] describes.
 */
class FaultyDriverExtension(private val driver: () -> FaultyDriver = { FaultyDriver.full }) : TestCaseExtension {
    override suspend fun intercept(testCase: TestCase, execute: suspend (TestCase) -> TestResult): TestResult =
        intercept(testCase, null, execute)

    suspend fun intercept(testCase: TestCase, quiet: Duration?, execute: suspend (TestCase) -> TestResult): TestResult {
        if (testCase.type != TestType.Test) return execute(testCase)
        val driver = driver()
        val wasStuck = !driver.reset(Duration.ZERO) // by a call that an earlier test has left
        driver.forgetLive()
        val result = execute(testCase)
        if (!result.isSuccess) driver.letGo() // otherwise held calls of the test would not end
        val words = Settling.leftAfter(quiet ?: Settling.quietAfter(result)) { driver.difference().ifEmpty { null } }
            .orEmpty().toMutableList()
        if (result.isSuccess && driver.outstanding > 0)
            words += "planned faults have not occurred: ${driver.outstandingFunctions}"
        val isIdle = driver.reset(if (wasStuck) Duration.ZERO else quiet ?: 5.seconds)
        if (!isIdle && !wasStuck) words += FaultyDriver.STUCK
        if (words.isEmpty()) return result
        val wrong = AssertionError(words.joinToString("; "))
        result.errorOrNull?.addSuppressed(wrong)
        return if (result.isSuccess) TestResult.Failure(result.duration, wrong) else result
    }

    private fun FaultyDriver.difference(): List<String> = listOfNotNull(
        "the driver saw $violations broken rules, first: $violation".takeIf { violations != 0L },
        "the driver saw $doubleReleases double releases".takeIf { doubleReleases != 0L },
        "the driver saw $races calls of two threads at once, first: $race".takeIf { races != 0L },
        "there are ${FaultyDriver.foreignErrors} more errors of another library than before".takeIf {
            FaultyDriver.foreignErrors != 0L
        },
    ) + live().filter { (_, more) -> more != 0L }.map { (what, more) ->
        "the driver has $more more ${what.name.lowercase()} than before"
    }
}
