// SPDX-License-Identifier: Apache-2.0
package org.arbalest.testkit.contract

import org.arbalest.device.monitoring.ResourceCounters

/**
 * The resources that the current test holds, counted from a [Baseline]. Leaks of earlier tests do not count, so that
 * one leak fails one test.
 */
public object Held {
    private val counts = ResourceCounters::class.java.recordComponents.map { it.accessor }
    private val baseline = Baseline(counts.size) {
        ResourceCounters.now().let { now -> counts.map { it.invoke(now) as Long } }
    }

    /** Begins a test. The contract suites call this before each of their tests. */
    public fun begin(): Unit = baseline.begin()

    /**
     * Returns the resources that are held now and were not held at the last [begin]. Without a [begin] it counts all
     * held resources.
     */
    public fun now(): ResourceCounters = ResourceCounters::class.java.constructors.single()
        .newInstance(*baseline.now().toTypedArray()) as ResourceCounters
}
