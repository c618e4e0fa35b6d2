// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.test.StandardTestDispatcher
import kotlinx.coroutines.test.TestCoroutineScheduler
import kotlinx.coroutines.test.TestDispatcher
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import kotlin.time.Duration

/** Time that passes where a test says so. */
@OptIn(ExperimentalCoroutinesApi::class)
internal class HeldTime {
    private val scheduler = TestCoroutineScheduler()
    val dispatcher: TestDispatcher = StandardTestDispatcher(scheduler)

    /** To be put in the context of a collection by a sink of ours: how long ago the stop was. */
    val clock: Clock = Clock(dispatcher)

    /** Runs what is to run until then. */
    fun pass(time: Duration) {
        scheduler.advanceTimeBy(time)
        scheduler.runCurrent()
    }
}

/** Waits for it, but not for good. */
internal fun CountDownLatch.reached(): Unit = check(await(5, TimeUnit.SECONDS)) { "it was not reached" }
