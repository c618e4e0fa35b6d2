// SPDX-License-Identifier: Apache-2.0
package org.arbalest.testkit.contract

import org.arbalest.device.Ledger

/** Counts what the current test holds: what an earlier test has left does not count, so that one leak fails one test. */
public object Held {
    @Volatile
    private var beginning = Ledger.now().let { it.since(it) }

    /** Begins a test. The contract suites call this before each of their tests. */
    public fun begin() {
        beginning = Ledger.now()
    }

    /** Returns what is held now and was not held at the last [begin]; all that is held, if there was none. */
    public fun now(): Ledger = Ledger.now().since(beginning)
}
