// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.support

import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.locks.LockSupport

/**
 * Runs actors in every order of their steps that has at most [preemptions] preemptions. A preemption lets another actor
 * run although the last one could go on.
 *
 * An actor is a thread that stops at each [step] until it is chosen. Between steps, no other actor moves. An actor that
 * waits inside the code under test for another actor is passed over. The orders are explored depth first, and each
 * order repeats the whole run.
 */
internal class Interleavings(private val preemptions: Int) {
    private val threads = Executors.newCachedThreadPool { Thread(it).apply { isDaemon = true } }

    /** The choice and the number of options, at each point of the run. */
    private var path = mutableListOf<IntArray>()

    /**
     * Runs every order of the actors that [setUp] defines, and returns the number of runs. [setUp] returns the check to
     * run after each order.
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

    /** Moves to the next path, depth first. Returns false after the last path. */
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

        /** Returns whether all actors except this one have finished. */
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
                    // an actor that waited is about to wake up
                    settle()
                    able = actors.filter { it.isAble() }
                }
                if (able.isEmpty() && actors.all { it.done }) continue
                check(able.isNotEmpty()) {
                    "no actor can move: ${actors.filterNot { it.done }.joinToString { "${it.name} at ${it.at}" }}"
                }
                last = choose(able, last)
                trace += "${last.name}: ${last.at}"
                last.proceed()
            }
            futures.forEach { it.get(5, SECONDS) }
        }

        /** Lets every actor run to its end without steps, because no exception may reach C. */
        fun abandon() = actors.forEach { it.abandon() }

        /** Chooses the next actor. The actor that moved last is the first option; any other choice is a preemption. */
        private fun choose(able: List<Actor>, last: Actor?): Actor {
            val ordered = if (last in able) listOf(last!!) + (able - last) else able
            val options = if (last in able && held == preemptions) 1 else ordered.size
            if (depth == path.size) path += intArrayOf(0, options)
            val chosen = ordered[path[depth++][0].coerceAtMost(options - 1)]
            if (last in able && chosen !== last) held++
            return chosen
        }

        /** Waits until every actor is at a step, has finished, or waits for another actor. */
        private fun settle() {
            val patience = System.nanoTime() + SECONDS.toNanos(5)
            var spins = 0
            while (actors.any { !it.isSettled() }) {
                check(System.nanoTime() < patience) {
                    "an actor did not reach a step within 5 s: ${actors.filterNot { it.isSettled() }.map { it.name }}"
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

        /** Whether the actor has left its last step. */
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

        /** Stops the actor until it is chosen, which requires that [condition] holds. */
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

        /**
         * Returns whether the actor is at a step, has finished, or has waited long enough inside the code under test.
         */
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

        /** Adds a step of the calling actor, inside a function that the code under test calls. */
        fun step(what: String) {
            CURRENT.get()?.step(what)
        }
    }
}
