// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.support

import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.locks.LockSupport

/**
 * Runs actors in every order of their steps in which no more than [preemptions] times an actor that could go on is held
 * back for another.
 *
 * An actor is a thread that stops at each [step] until it is chosen; between steps nobody else moves. One that waits
 * inside the code under test, for another to move, is passed over. The orders are gone through depth first, each by
 * running the whole anew.
 */
internal class Interleavings(private val preemptions: Int) {
    private val threads = Executors.newCachedThreadPool { Thread(it).apply { isDaemon = true } }

    /** What was chosen, and out of how many, at each point of the run. */
    private var path = mutableListOf<IntArray>()

    /**
     * Every order of what [setUp] defines; [setUp] answers with what is to be checked after a run. How many there were.
     */
    fun explore(setUp: Run.() -> (() -> Unit)): Int {
        var runs = 0
        try {
            do {
                val run = Run()
                try {
                    val check = run.setUp()
                    run.go()
                    check()
                } catch (t: Throwable) {
                    run.abandon()
                    throw AssertionError("run $runs, ${run.trace.joinToString(" · ")}", t)
                }
                runs++
            } while (next())
        } finally {
            threads.shutdownNow()
        }
        return runs
    }

    /** The next path, depth first; false after the last. */
    private fun next(): Boolean {
        while (path.isNotEmpty()) {
            val last = path.last()
            if (++last[0] < last[1]) return true
            path.removeLast()
        }
        return false
    }

    inner class Run {
        val trace = mutableListOf<String>()
        private val actors = mutableListOf<Actor>()
        private var depth = 0
        private var held = 0

        fun actor(name: String, body: Actor.() -> Unit) {
            actors += Actor(name, body)
        }

        /** Whether all actors but this one have finished. */
        fun othersDone(self: String): Boolean = actors.all { it.name == self || it.done }

        fun go() {
            val futures = actors.map { actor -> threads.submit { actor.run() } }
            var last: Actor? = null
            while (true) {
                settle()
                actors.firstNotNullOfOrNull { it.failure }?.let { throw it }
                if (actors.all { it.done }) break
                var able = actors.filter { it.isAble() }
                val patience = System.nanoTime() + SECONDS.toNanos(5)
                while (able.isEmpty() && actors.any { !it.done } && System.nanoTime() < patience) {
                    // somebody who waited is just waking
                    settle()
                    able = actors.filter { it.isAble() }
                }
                if (able.isEmpty() && actors.all { it.done }) continue
                check(able.isNotEmpty()) {
                    "nobody can move: ${actors.filterNot { it.done }.joinToString { "${it.name} at ${it.at}" }}"
                }
                last = choose(able, last)
                trace += "${last.name}: ${last.at}"
                last.proceed()
            }
            futures.forEach { it.get(5, SECONDS) }
        }

        /** Lets every actor run to its end as it likes: nothing may be thrown into C. */
        fun abandon() = actors.forEach { it.abandon() }

        /** Whoever moved last comes first; holding it back is a preemption. */
        private fun choose(able: List<Actor>, last: Actor?): Actor {
            val ordered = if (last in able) listOf(last!!) + (able - last) else able
            val options = if (last in able && held == preemptions) 1 else ordered.size
            if (depth == path.size) path += intArrayOf(0, options)
            val chosen = ordered[path[depth++][0].coerceAtMost(options - 1)]
            if (last in able && chosen !== last) held++
            return chosen
        }

        /** Waits until every actor stands at a step, has finished, or waits for another. */
        private fun settle() {
            val patience = System.nanoTime() + SECONDS.toNanos(5)
            var spins = 0
            while (actors.any { !it.isSettled() }) {
                check(System.nanoTime() < patience) {
                    "an actor runs without end: ${actors.filterNot { it.isSettled() }.map { it.name }}"
                }
                spinOrSleep(++spins)
            }
        }
    }

    inner class Actor(val name: String, private val body: Actor.() -> Unit) {
        @Volatile
        private var thread: Thread? = null

        @Volatile
        private var condition: (() -> Boolean)? = { true }

        /** Whether it has left its last step. */
        @Volatile
        private var moving = false

        @Volatile
        private var abandoned = false

        @Volatile
        var at: String = "start"
            private set

        @Volatile
        var done = false
            private set

        @Volatile
        var failure: Throwable? = null
            private set

        fun run() {
            thread = Thread.currentThread()
            CURRENT.set(this)
            try {
                await()
                body()
            } catch (t: Throwable) {
                failure = t
            } finally {
                CURRENT.remove()
                done = true
            }
        }

        /** Stops here until chosen, which needs the condition to hold. */
        fun step(what: String, condition: () -> Boolean = { true }) {
            at = what
            this.condition = condition
            await()
        }

        private fun await() {
            while (condition != null && !abandoned) LockSupport.park(this)
            moving = true
        }

        fun isAble(): Boolean = !done && condition?.invoke() == true

        fun abandon() {
            abandoned = true
            LockSupport.unpark(thread)
        }

        fun proceed() {
            moving = false
            condition = null
            LockSupport.unpark(thread)
        }

        /** At a step, finished, or, for long enough, waiting inside the code under test. */
        fun isSettled(): Boolean {
            if (done || condition != null) return thread != null
            val longEnough = System.nanoTime() + WAITS_NANOS
            while (System.nanoTime() < longEnough) {
                val state = thread?.state
                if (done || condition != null) return true
                if (!moving) return false
                if (state != Thread.State.WAITING && state != Thread.State.BLOCKED) return false
                LockSupport.parkNanos(PAUSE_NANOS)
            }
            return true
        }
    }

    companion object {
        private const val WAITS_NANOS = 200_000L
        private val CURRENT = ThreadLocal<Actor?>()

        /** A step of whichever actor calls, from inside what the code under test calls. */
        fun step(what: String) {
            CURRENT.get()?.step(what)
        }
    }
}
