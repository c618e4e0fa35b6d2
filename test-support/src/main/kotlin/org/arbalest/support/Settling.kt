// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support

import io.kotest.engine.test.TestResult
import kotlinx.coroutines.delay
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds
import kotlin.time.TimeSource

/** The wait of an extension, after a test, for objects that other threads are about to release. */
object Settling {
    /** The longest wait, regardless of changes. */
    private val LIMIT = 5.seconds

    /** The time without a change after which a passed test has leaked: no release is in progress any more. */
    private val AFTER_SUCCESS = 2.seconds

    /** The time without a change after which a failed test has no release in progress. */
    private val AFTER_FAILURE = 250.milliseconds

    /** Returns the time without a change after which the wait ends, for a test with this result. */
    fun quietAfter(result: TestResult): Duration = if (result.isSuccess) AFTER_SUCCESS else AFTER_FAILURE

    /**
     * Waits until no object is left, and returns null. Returns the objects that are left if they have not changed for
     * [quiet], or after five seconds. Only a test that leaks or fails waits.
     *
     * @param left returns the objects that are left now, or null; compared by `equals`
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
