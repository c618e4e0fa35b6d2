// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.ThreadContextElement
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlin.coroutines.AbstractCoroutineContextElement
import kotlin.coroutines.ContinuationInterceptor
import kotlin.coroutines.CoroutineContext
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/**
 * The collection of somebody's flow by a sink, which takes over what is emitted (OWN-16), and may have enough before
 * the flow ends.
 *
 * `flow` asks whether its job is cancelled before it hands a value on, and throws if it is: a batch that was being made
 * would then be nobody's. So a flow that is [stop]ped may come to its next emit, which the sink [refuses][refusal].
 * Where it waits in the sink, the sink wakes it. Elsewhere it is cancelled when it seems to wait for something that has
 * nothing to do with a batch:
 *
 * - at first where none of its code ran for [QUIET]: shorter suspensions lie between two pieces of the same work;
 * - after [GRACE], whose end a flow that polls would put off for good otherwise, wherever it suspends;
 * - after [PATIENCE] wherever it is, so that a thread that is blocked is interrupted.
 *
 * Code in another dispatcher is waited for as well until [GRACE]; then it counts as suspended, since it cannot emit.
 *
 * Seen from outside this is a job like any other: whoever cancels its parent cancels it at once.
 */
internal class Upstream private constructor(private val clock: Clock) : ThreadContextElement<Unit>,
    CoroutineContext.Key<Upstream> {
    // Its own key: flows may be collected within one another.
    override val key: CoroutineContext.Key<Upstream> get() = this

    private lateinit var job: Job

    /** Written under the lock; each emit looks at it. */
    @Volatile
    private var stopped = false

    // Guarded by this.
    private var dispatcher: CoroutineContext.Element? = null
    private var here = 0 // threads that run code of the flow in its dispatcher
    private var elsewhere = 0 // and in others
    private var turns = 0L // how often one began to
    private var strict = false
    private var cancelled = false

    /** Lets the flow end: nothing is taken any more. */
    fun stop() {
        synchronized(this) {
            if (stopped) return
            stopped = true
        }
        val ending = CoroutineScope(clock.dispatcher).launch { end() }
        job.invokeOnCompletion { ending.cancel() }
    }

    private suspend fun end() {
        repeat((GRACE / QUIET).toInt()) {
            val before = synchronized(this) { turns }
            delay(QUIET)
            cancelIf { here + elsewhere == 0 && turns == before }
        }
        cancelIf {
            strict = true
            here == 0
        }
        delay(PATIENCE - GRACE)
        cancelIf { true }
    }

    /** What an emit throws instead of taking anything; null while it does. */
    fun refusal(): CancellationException? =
        if (stopped) CancellationException("whoever took what this flow emits has enough") else null

    /** A thread is about to run code of the flow. Who resumes it looks for a cancellation only after this. */
    override fun updateThreadContext(context: CoroutineContext) {
        val late = synchronized(this) {
            turns++
            count(context, 1)
            cancelled
        }
        if (late) job.cancel() // whoever decided that may not have come to it yet
    }

    /** A thread has run code of the flow until it suspended or ended. */
    override fun restoreThreadContext(context: CoroutineContext, oldState: Unit) {
        cancelIf {
            count(context, -1)
            strict && here == 0
        }
    }

    private fun count(context: CoroutineContext, change: Int) {
        val own = context[ContinuationInterceptor]
        if (dispatcher == null) dispatcher = own
        if (own === dispatcher) here += change else elsewhere += change
    }

    private inline fun cancelIf(condition: () -> Boolean) {
        val now = synchronized(this) { (condition() && !cancelled).also { if (it) cancelled = true } }
        if (now) job.cancel()
    }

    companion object {
        /** How long nothing runs where a flow does not go on by itself. */
        val QUIET = 20.milliseconds

        /** For how long after the stop it may have such pauses. */
        val GRACE = 1.seconds

        /** For how long after the stop code may run that neither emits nor suspends. */
        val PATIENCE = 10.seconds

        /** Begins to collect: [collection] does, in [scope]. Emits are possible in its dispatcher only. */
        fun start(scope: CoroutineScope, collection: suspend (Upstream) -> Unit): Upstream {
            val upstream = Upstream(scope.coroutineContext[Clock] ?: Clock.REAL)
            upstream.job = scope.launch(upstream, CoroutineStart.LAZY) { collection(upstream) }
            upstream.job.start()
            return upstream
        }
    }

    /** See [Job.invokeOnCompletion]. */
    fun invokeOnCompletion(handler: (Throwable?) -> Unit) {
        job.invokeOnCompletion(handler)
    }
}

/** Where the time after a stop passes; tests put another one into the context of a collection. */
internal class Clock(val dispatcher: CoroutineContext) : AbstractCoroutineContextElement(Clock) {
    companion object Key : CoroutineContext.Key<Clock> {
        val REAL = Clock(Dispatchers.IO) // Default has few threads, and the flow may block them
    }
}
