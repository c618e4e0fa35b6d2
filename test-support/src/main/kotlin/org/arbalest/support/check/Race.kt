// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.check

/**
 * One of those who do the same in different ways.
 *
 * @property name for people
 * @property prepare what comes before, each round, and is not timed
 * @property run what is timed
 * @property nanos how long it took, if it measures by itself, having more to do than what is timed; null if all of it
 *     is
 * @property verify what comes behind, and is not timed; it throws if what was done is wrong
 */
class Contestant(
    val name: String,
    val prepare: (round: Int) -> Unit = {},
    val verify: (round: Int) -> Unit = {},
    val nanos: (() -> Long)? = null,
    val run: () -> Unit,
)

/**
 * How often: at least [least] times, then until [nanos] have passed, all told, at most [most] times; and [warmups]
 * times before.
 */
class Rounds(val warmups: Int, val least: Int, val most: Int, val nanos: Long)

/** Times those who do the same by turns, so that a machine that is slow for a moment is slow for all of them. */
class Race(private val rounds: Rounds, private val clock: () -> Long = System::nanoTime) {
    /** The nanoseconds of each, a number for each round. */
    fun run(contestants: List<Contestant>): List<LongArray> {
        val times = contestants.map { mutableListOf<Long>() }
        for (round in 0 until rounds.warmups) contestants.forEach { time(it, round) }
        val start = clock()
        while (times[0].size < rounds.least || (times[0].size < rounds.most && clock() - start < rounds.nanos)) {
            val round = times[0].size
            for (turn in contestants.indices) {
                val who = (turn + round) % contestants.size // nobody is always the first
                times[who] += time(contestants[who], rounds.warmups + round)
            }
        }
        return times.map { it.toLongArray() }
    }

    private fun time(contestant: Contestant, round: Int): Long {
        contestant.prepare(round)
        val start = clock()
        contestant.run()
        val elapsed = clock() - start
        val nanos = contestant.nanos?.invoke() ?: elapsed
        contestant.verify(round)
        return nanos
    }
}

/** The median, in microseconds. */
fun LongArray.medianMicros(): Double {
    if (isEmpty()) return Double.NaN
    val sorted = sorted()
    return (sorted[(size - 1) / 2] + sorted[size / 2]) / 2e3
}
