// SPDX-License-Identifier: Apache-2.0
package org.arbalest.testkit

import io.kotest.core.extensions.TestCaseExtension
import io.kotest.core.test.TestCase
import io.kotest.core.test.TestType
import io.kotest.engine.test.TestResult
import kotlinx.coroutines.delay
import org.arbalest.leakcheck.LeakError
import org.arbalest.leakcheck.LeakScope
import org.arbalest.leakcheck.kotest.LeakExtension
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds
import kotlin.time.TimeSource

/**
 * Fails a test that leaves something allocated, exported or open, on our side or the C peer's, and says what.
 *
 * It is a [LeakExtension], for each test; and before a test it resets the [CPeer], where there is a C compiler. After a test that passed, that must be
 * back as well, and must have seen no double release and no broken rule; a test that provokes one
 * says so by calling [CPeer.reset] at its end. What other threads are just releasing has twenty seconds to be gone. Where things were made is noted with
 * `-Dorg.arbalest.leaks=true` only, since some tests count allocations.
 *
 *     class MySpec : FunSpec({
 *         extension(LedgerExtension)
 *         …
 *     })
 */
public object LedgerExtension : TestCaseExtension {
    /** Only a test that fails takes so long. */
    private val GRACE = 20.seconds

    override suspend fun intercept(testCase: TestCase, execute: suspend (TestCase) -> TestResult): TestResult =
        intercept(testCase, GRACE, execute)

    internal suspend fun intercept(testCase: TestCase, grace: Duration, execute: suspend (TestCase) -> TestResult): TestResult {
        if (testCase.type != TestType.Test) return execute(testCase)
        val peer = if (NativeLibrary.missing == null) CPeer else null
        var before: PeerCounts? = null
        val result = LeakExtension(LeakScope.TEST, grace, withPlaces = false).intercept(testCase) {
            peer?.reset()
            before = peer?.counts()
            execute(it)
        }
        val leak = result.errorOrNull as? LeakError
        if (!result.isSuccess && leak == null) return result
        val words = before?.differenceAfter(if (leak == null) grace else Duration.ZERO) ?: return result
        return TestResult.Failure(result.duration, AssertionError(listOfNotNull(leak?.message, words).joinToString("\n"), leak))
    }

    private suspend fun PeerCounts.differenceAfter(grace: Duration): String? {
        val start = TimeSource.Monotonic.markNow()
        while (true) {
            val words = peerWords(this, CPeer.counts()).joinToString("; ").ifEmpty { return null }
            if (start.elapsedNow() > grace) return words
            delay(1.milliseconds)
        }
    }

    private fun peerWords(before: PeerCounts, after: PeerCounts): List<String> = listOfNotNull(
        live("allocations", after.allocations - before.allocations),
        live("arrays", after.arrays - before.arrays),
        live("schemas", after.schemas - before.schemas),
        live("streams", after.streams - before.streams),
        live("tasks", after.tasks - before.tasks),
        live("producers", after.producers - before.producers),
        live("handlers", after.handlers - before.handlers),
        "the C peer saw ${after.doubleReleases} double releases".takeIf { after.doubleReleases != 0L },
        "the C peer saw ${after.violations} broken rules, first: ${after.violation}".takeIf { after.violations != 0L },
    )

    private fun live(what: String, more: Long): String? = if (more == 0L) null else "the C peer has $more more $what than before"
}
