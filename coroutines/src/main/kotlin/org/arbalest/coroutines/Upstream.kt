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
 * The collection of a flow by a sink, which takes ownership of the emitted arrays (OWN-16), and may stop before the
 * flow ends.
 *
 * Before `flow` passes an element on, it checks whether its job is cancelled, and throws if it is: a batch that the
 * flow has just made would then be lost. So a [stop]ped flow may continue to its next emit, which the sink
 * [refuses][refusal]. If the flow waits in the sink, the sink wakes it. Elsewhere the flow is cancelled as soon as it
 * seems to wait for an event unrelated to a batch:
 *
 * - at first, when none of its code has run for [QUIET]: suspensions within the making of one batch are shorter;
 * - after [GRACE], at any suspension: a flow that polls would otherwise never be quiet;
 * - after [PATIENCE], at any point, so that a blocked thread is interrupted.
 *
 * Code in another dispatcher counts as running until [GRACE]; then it counts as suspended, because it cannot emit.
 *
 * For other code this is an ordinary job: cancelling its parent cancels it immediately.
 */
internal class Upstream private constructor(private val clock: Clock) : ThreadContextElement<Unit>,
    CoroutineContext.Key<Upstream> {
    // A separate key for each instance: one flow may be collected inside another.
    override val key: CoroutineContext.Key<Upstream> get() = this

    private lateinit var job: Job

    /** Written under the lock; each emit reads it. */
    @Volatile
    private var stopped = false

    // Guarded by this.
    private var dispatcher: CoroutineContext.Element? = null
    private var here = 0 // threads that run code of the flow in its dispatcher
    private var elsewhere = 0 // threads that run code of the flow in other dispatchers
    private var turns = 0L // how many times a thread began to run code of the flow
    private var strict = false
    private var cancelled = false

    /** Ends the flow: the sink takes no more arrays. */
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

    /** Returns the exception that an emit throws after [stop]; null while the sink takes arrays. */
    fun refusal(): CancellationException? =
        if (stopped) CancellationException("the collector of this flow needs no more elements") else null

    /**
     * Counts a thread that begins to run code of the flow. The coroutine is checked for cancellation only after this.
     */
    override fun updateThreadContext(context: CoroutineContext) {
        val late = synchronized(this) {
            turns++
            count(context, 1)
            cancelled
        }
        if (late) job.cancel() // the thread that set this flag may not have cancelled the job yet
    }

    /** Counts a thread that has run code of the flow until the code suspended or ended. */
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
        /** How long no code of the flow runs before the flow counts as waiting. */
        val QUIET = 20.milliseconds

        /** How long after the stop such pauses are allowed. */
        val GRACE = 1.seconds

        /** How long after the stop code may run that neither emits nor suspends. */
        val PATIENCE = 10.seconds

        /** Starts [collection] in [scope]. Emits are possible only in the scope's dispatcher. */
        fun start(scope: CoroutineScope, collection: suspend (Upstream) -> Unit): Upstream {
            val upstream = Upstream(scope.coroutineContext[Clock] ?: Clock.REAL)
            upstream.job = scope.launch(upstream, CoroutineStart.LAZY) { collection(upstream) }
            upstream.job.start()
            return upstream
        }
    }

    /** Registers a handler; see [Job.invokeOnCompletion]. */
    fun invokeOnCompletion(handler: (Throwable?) -> Unit) {
        job.invokeOnCompletion(handler)
    }
}

/** The clock for the time after a stop; tests put another one into the context of a collection. */
internal class Clock(val dispatcher: CoroutineContext) : AbstractCoroutineContextElement(Clock) {
    companion object Key : CoroutineContext.Key<Clock> {
        val REAL = Clock(Dispatchers.IO) // not Default, which has few threads that the flow may block
    }
}
