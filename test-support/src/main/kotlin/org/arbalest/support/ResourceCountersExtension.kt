// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support

import io.kotest.core.extensions.TestCaseExtension
import io.kotest.core.test.TestCase
import io.kotest.core.test.TestType
import io.kotest.engine.test.TestResult
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.leakcheck.LeakError
import org.arbalest.leakcheck.LeakScope
import org.arbalest.leakcheck.kotest.LeakExtension
import org.arbalest.testkit.contract.Baseline
import org.arbalest.testkit.contract.Held
import kotlin.time.Duration

/**
 * Fails a test that leaves an object allocated, exported or open, in Java or in the C peer, and reports which.
 *
 * It is a [LeakExtension] for each test. Before a test it resets the [CPeer], if there is a C compiler. After a passed
 * test the peer must hold the same objects as before, and must have seen no double release and no broken rule. A test
 * that provokes one calls [CPeer.reset] at its end. Other threads have five seconds to release their objects, or two if
 * nothing changes. The places of allocation are recorded with `-Dorg.arbalest.leaks=true` only, because some tests
 * count allocations.
 *
 * A leak is reported once, on the test that leaked. Objects that this test or a failed test has left belong to the next
 * test's starting point: [Held] and [CPeer.counts] start from zero in each test. A thread may release such an object
 * while the next test runs, as [Baseline] describes.
 *
 *     class MySpec : FunSpec({
 *         extension(ResourceCountersExtension)
 *         …
 *     })
 */
object ResourceCountersExtension : TestCaseExtension {
    override suspend fun intercept(testCase: TestCase, execute: suspend (TestCase) -> TestResult): TestResult =
        intercept(testCase, null, execute)

    /** @param quiet the time without a change after which the wait ends; null for [Settling]'s default */
    suspend fun intercept(
        testCase: TestCase,
        quiet: Duration?,
        execute: suspend (TestCase) -> TestResult,
    ): TestResult {
        if (testCase.type != TestType.Test) return execute(testCase)
        val peer = if (NativeLibrary.missing == null) CPeer else null
        var own: TestResult? = null
        val result = LeakExtension(LeakScope.TEST, Duration.ZERO, withPlaces = false).intercept(testCase) {
            peer?.reset()
            begin(peer)
            execute(it).also { result ->
                own = result
                if (!result.isSuccess) peer?.openGate() // otherwise its threads would hold their objects
                Settling.leftAfter(quiet ?: Settling.quietAfter(result)) { left(peer) }
            }
        }
        val held = Held.now()
        // objects that an earlier test had left were released
        val leak = (result.errorOrNull as? LeakError)?.takeUnless { held.isZero && it.cause == null }
        val words = listOfNotNull("not back: $held".takeUnless { leak != null || held.isZero }) +
            peer?.run { words(counts()) }.orEmpty()
        begin(peer) // so that a check outside of tests does not report the leak again
        if (leak == null && (own?.isSuccess != true || words.isEmpty())) return own ?: result
        val message = listOfNotNull(leak?.message, words.joinToString("; ").ifEmpty { null }).joinToString("\n")
        return TestResult.Failure(result.duration, AssertionError(message, leak))
    }

    private fun begin(peer: CPeer?) {
        Held.begin()
        peer?.countFromHere()
    }

    private fun left(peer: CPeer?): Pair<ResourceCounters, List<Long>>? {
        val left = Held.now() to peer?.counts()?.live().orEmpty()
        return left.takeUnless { (counters, live) -> counters.isZero && live.all { it == 0L } }
    }

    private fun words(counts: PeerCounts): List<String> = listOfNotNull(
        live("allocations", counts.allocations),
        live("arrays", counts.arrays),
        live("schemas", counts.schemas),
        live("streams", counts.streams),
        live("tasks", counts.tasks),
        live("producers", counts.producers),
        live("handlers", counts.handlers),
        "the C peer saw ${counts.doubleReleases} double releases".takeIf { counts.doubleReleases != 0L },
        "the C peer saw ${counts.violations} broken rules, first: ${counts.violation}".takeIf {
            counts.violations != 0L
        },
    )

    private fun live(what: String, more: Long): String? = if (more == 0L) null
    else "the C peer has $more more $what than before"
}
