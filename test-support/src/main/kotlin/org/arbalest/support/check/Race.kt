// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.check

/**
 * One of several ways to do the same work.
 *
 * @property name for display
 * @property prepare the work before each round, which is not timed
 * @property run the timed work
 * @property nanos the duration in nanoseconds, if the work measures a part of itself; null if all of it is timed
 * @property verify the check after each round, which is not timed; it throws if the result is wrong
 */
class Contestant(
    val name: String,
    val prepare: (round: Int) -> Unit = {},
    val verify: (round: Int) -> Unit = {},
    val nanos: (() -> Long)? = null,
    val run: () -> Unit,
)

/**
 * The number of rounds: at least [least], then until [nanos] nanoseconds have passed in all, at most [most]; and
 * [warmups] before.
 */
class Rounds(val warmups: Int, val least: Int, val most: Int, val nanos: Long)

/** Times several ways alternately, so that a short slowdown of the machine affects all of them. */
class Race(private val rounds: Rounds, private val clock: () -> Long = System::nanoTime) {
    /** Returns the nanoseconds of each contestant, one number for each round. */
    fun run(contestants: List<Contestant>): List<LongArray> {
        val times = contestants.map { mutableListOf<Long>() }
        for (round in 0 until rounds.warmups) contestants.forEach { time(it, round) }
        val start = clock()
        while (times[0].size < rounds.least || (times[0].size < rounds.most && clock() - start < rounds.nanos)) {
            val round = times[0].size
            for (turn in contestants.indices) {
                val who = (turn + round) % contestants.size // each contestant is the first in some round
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

/** Returns the median of nanoseconds, in microseconds. */
fun LongArray.medianMicros(): Double {
    if (isEmpty()) return Double.NaN
    val sorted = sorted()
    return (sorted[(size - 1) / 2] + sorted[size / 2]) / 2e3
}
