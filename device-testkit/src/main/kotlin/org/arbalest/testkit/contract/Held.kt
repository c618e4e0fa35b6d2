// SPDX-License-Identifier: Apache-2.0
package org.arbalest.testkit.contract

import org.arbalest.device.monitoring.ResourceCounters

/**
 * Counts what the current test holds, from a [Baseline]: what an earlier test has left does not count, so that one leak
 * fails one test.
 */
public object Held {
    private val counts = ResourceCounters::class.java.recordComponents.map { it.accessor }
    private val baseline = Baseline(counts.size) {
        ResourceCounters.now().let { now -> counts.map { it.invoke(now) as Long } }
    }

    /** Begins a test. The contract suites call this before each of their tests. */
    public fun begin(): Unit = baseline.begin()

    /** Returns what is held now and was not held at the last [begin]; all that is held, if there was none. */
    public fun now(): ResourceCounters = ResourceCounters::class.java.constructors.single()
        .newInstance(*baseline.now().toTypedArray()) as ResourceCounters
}
