package org.arbalest.testkit

import io.kotest.core.extensions.TestCaseExtension
import io.kotest.core.test.TestCase
import io.kotest.core.test.TestType
import io.kotest.engine.test.TestResult
import kotlinx.coroutines.delay
import org.arbalest.device.Ledger
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/**
 * Fails a test that leaves something allocated, exported or open, on our side or the C peer's, and says what.
 *
 * Before each test it takes [Ledger.now], once nothing is under way any more that what came before has left to be released by itself, and
 * resets the [CPeer], where there is a C compiler. After a test that passed,
 * both must be back, and the peer must have seen no double release and no broken rule; a test that provokes one
 * says so by calling [CPeer.reset] at its end. What other threads are just releasing has twenty seconds to be gone.
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
        peer?.reset()
        val before = Books(quiet(), peer?.counts())
        val result = execute(testCase)
        if (!result.isSuccess) return result
        val left = before.differenceAfter(grace, peer) ?: return result
        return TestResult.Failure(result.duration, AssertionError(left))
    }

    /** The waits that were left for good by a test that failed: the tests after it do not wait for them again. */
    @Volatile
    private var lostWaits = 0L

    private suspend fun quiet(): Ledger {
        val patience = System.nanoTime() + GRACE.inWholeNanoseconds
        while (true) {
            val now = Ledger.now()
            if (now.waits() <= lostWaits) return now
            if (System.nanoTime() > patience) lostWaits = now.waits()
            delay(1.milliseconds)
        }
    }

    private class Books(val ledger: Ledger, val counts: PeerCounts?) {
        suspend fun differenceAfter(grace: Duration, peer: CPeer?): String? {
            val patience = System.nanoTime() + grace.inWholeNanoseconds
            while (true) {
                val difference = difference(Books(Ledger.now(), peer?.counts())) ?: return null
                if (System.nanoTime() > patience) return difference
                delay(1.milliseconds)
            }
        }

        private fun difference(after: Books): String? {
            val words = mutableListOf<String>()
            val left = after.ledger.since(ledger)
            if (!left.isZero) words += "not back after the test: $left"
            if (counts != null && after.counts != null) words += peerWords(counts, after.counts)
            return words.joinToString("; ").ifEmpty { null }
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
}
