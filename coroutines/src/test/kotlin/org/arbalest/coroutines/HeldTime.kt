// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.test.StandardTestDispatcher
import kotlinx.coroutines.test.TestCoroutineScheduler
import kotlinx.coroutines.test.TestDispatcher
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import kotlin.time.Duration

/** A clock whose time passes only when the test advances it. */
@OptIn(ExperimentalCoroutinesApi::class)
internal class HeldTime {
    private val scheduler = TestCoroutineScheduler()
    val dispatcher: TestDispatcher = StandardTestDispatcher(scheduler)

    /** The clock for the context of a collection by a sink. It measures the time since the stop. */
    val clock: Clock = Clock(dispatcher)

    /** Advances the clock and runs all tasks that are due by then. */
    fun pass(time: Duration) {
        scheduler.advanceTimeBy(time)
        scheduler.runCurrent()
    }
}

/** Waits for the latch, at most five seconds. */
internal fun CountDownLatch.reached(): Unit = check(await(5, TimeUnit.SECONDS)) { "the latch was not released within " +
    "5 s" }
