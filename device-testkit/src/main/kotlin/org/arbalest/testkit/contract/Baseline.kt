// SPDX-License-Identifier: Apache-2.0
package org.arbalest.testkit.contract

/**
 * Counts of held resources since the beginning of the current test.
 *
 * While this test runs, a thread may release resources that an earlier test has left. The release lowers the beginning,
 * by at most the number that was left, so that it does not count for this test. A count is negative only if the test
 * releases other resources that were held before.
 *
 * A late release is not detected while this test holds as many resources itself. It can hide an equal leak of this
 * test. This happens only after a test that has left resources and has failed.
 *
 * Any thread may call the functions.
 *
 * @param size the number of counts
 * @param read returns the counts of all held resources
 */
public class Baseline(size: Int, private val read: () -> List<Long>) {
    private val beginning = LongArray(size)

    /** The resources that earlier tests have left and that are not released yet. */
    private val left = LongArray(size)

    /** Begins a test. Resources that are held now, such as the leak of an earlier test, do not count from now on. */
    @Synchronized
    public fun begin() {
        now().forEachIndexed { i, more ->
            beginning[i] += more
            left[i] += maxOf(more, 0)
        }
    }

    /**
     * Returns the counts of resources that are held now and were not held at the last [begin]. Without a [begin] it
     * counts all held resources.
     */
    @Synchronized
    public fun now(): List<Long> = read().mapIndexed { i, held ->
        val late = (beginning[i] - held).coerceIn(0, left[i])
        beginning[i] -= late
        left[i] -= late
        held - beginning[i]
    }
}
