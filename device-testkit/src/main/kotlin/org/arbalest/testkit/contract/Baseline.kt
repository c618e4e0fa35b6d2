// SPDX-License-Identifier: Apache-2.0
package org.arbalest.testkit.contract

/**
 * Counts of what is held, from the beginning of the current test.
 *
 * A thread may release what an earlier test has left while this test runs. That lowers the beginning, by at most what
 * was left, so that this test is not blamed for it. A count is negative only after another release of what was held
 * before the test.
 *
 * A late release is not seen while this test holds as much itself, and can hide an equal leak of this test. This
 * happens only after a test that has left something, and has failed for it or before.
 *
 * Any thread may call the functions.
 *
 * @param size the number of counts
 * @param read returns the counts of all that is held
 */
public class Baseline(size: Int, private val read: () -> List<Long>) {
    private val beginning = LongArray(size)

    /** What earlier tests have left and nobody has released yet. */
    private val left = LongArray(size)

    /** Begins a test: what is held now, such as the leak of an earlier test, is not counted any more. */
    @Synchronized
    public fun begin() {
        now().forEachIndexed { i, more ->
            beginning[i] += more
            left[i] += maxOf(more, 0)
        }
    }

    /** Returns what is held now and was not held at the last [begin]; all that is held, if there was none. */
    @Synchronized
    public fun now(): List<Long> = read().mapIndexed { i, held ->
        val late = (beginning[i] - held).coerceIn(0, left[i])
        beginning[i] -= late
        left[i] -= late
        held - beginning[i]
    }
}
