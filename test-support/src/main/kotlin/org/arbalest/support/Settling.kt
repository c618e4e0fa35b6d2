// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support

import io.kotest.engine.test.TestResult
import kotlinx.coroutines.delay
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds
import kotlin.time.TimeSource

/** How an extension waits, after a test, for what other threads are just releasing. */
object Settling {
    /** The longest wait, whatever changes meanwhile. */
    private val LIMIT = 5.seconds

    /** Decides that a test which passed has leaked: a release that changes nothing for so long is not under way. */
    private val AFTER_SUCCESS = 2.seconds

    /** Decides that a test which failed has nothing under way any more. */
    private val AFTER_FAILURE = 250.milliseconds

    /** Returns how long nothing may change after a test with this result before the wait ends. */
    fun quietAfter(result: TestResult): Duration = if (result.isSuccess) AFTER_SUCCESS else AFTER_FAILURE

    /**
     * Waits until nothing is left, and returns null then. Returns what is left if that has not changed for [quiet], or
     * after five seconds. Only a test that leaks or fails waits.
     *
     * @param left what is left at this moment, null if nothing is; compared by `equals`
     */
    suspend fun <T : Any> leftAfter(quiet: Duration, left: () -> T?): T? {
        val start = TimeSource.Monotonic.markNow()
        var since = start
        var last = left() ?: return null
        while (since.elapsedNow() < quiet && start.elapsedNow() < LIMIT) {
            delay(1.milliseconds)
            val now = left() ?: return null
            if (now == last) continue
            last = now
            since = TimeSource.Monotonic.markNow()
        }
        return last
    }
}
