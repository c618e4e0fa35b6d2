// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.adbc

import io.kotest.core.extensions.TestCaseExtension
import io.kotest.core.test.TestCase
import io.kotest.core.test.TestType
import io.kotest.engine.test.TestResult
import org.arbalest.support.Settling
import kotlin.time.Duration

/**
 * Resets a driver before each test of a spec. Fails a test that leaves anything of it live, that releases something twice, breaks a rule of `adbc.h`, or
 * is in one object with two threads. A test that provokes one calls [FaultyDriver.reset] at its end.
 *
 * Other threads have five seconds to finish their releases, or two if nothing changes.
 */
class FaultyDriverExtension(private val driver: () -> FaultyDriver = { FaultyDriver.full }) : TestCaseExtension {
    override suspend fun intercept(testCase: TestCase, execute: suspend (TestCase) -> TestResult): TestResult = intercept(testCase, null, execute)

    suspend fun intercept(testCase: TestCase, quiet: Duration?, execute: suspend (TestCase) -> TestResult): TestResult {
        if (testCase.type != TestType.Test) return execute(testCase)
        val driver = driver()
        driver.reset()
        driver.forgetLive()
        val result = execute(testCase)
        if (!result.isSuccess) driver.letGo() // calls that the test has left held would not end
        val words = Settling.leftAfter(quiet ?: Settling.quietAfter(result)) { driver.difference().ifEmpty { null } }.orEmpty()
        driver.reset()
        return if (words.isEmpty() || !result.isSuccess) result else TestResult.Failure(result.duration, AssertionError(words.joinToString("; ")))
    }

    private fun FaultyDriver.difference(): List<String> = listOfNotNull(
        "the driver saw $violations broken rules, first: $violation".takeIf { violations != 0L },
        "the driver saw $doubleReleases double releases".takeIf { doubleReleases != 0L },
        "the driver saw $races calls of two threads at once, first: $race".takeIf { races != 0L },
        "there are ${FaultyDriver.foreignErrors} more errors of another library than before".takeIf { FaultyDriver.foreignErrors != 0L },
    ) + live().filter { (_, more) -> more != 0L }.map { (what, more) -> "the driver has $more more ${what.name.lowercase()} than before" }
}
