package org.arbalest.coroutines

import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.ThreadContextElement
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlin.coroutines.ContinuationInterceptor
import kotlin.coroutines.CoroutineContext
import kotlin.time.Duration.Companion.seconds

/**
 * The collection of somebody's flow by a sink, which takes over what is emitted (OWN-16), and may have enough before the flow ends.
 *
 * `flow` asks whether its job is cancelled before it hands a value on, and throws if it is: a batch that was being made would then be nobody's. So a
 * flow that is [stop]ped is cancelled only where none of its code runs, that is, where it is suspended, in the sink or elsewhere. Code that
 * runs comes to its next emit, which the sink [refuses][refusal], or suspends, and is cancelled there. What does neither for [PATIENCE], such
 * as a thread that is blocked until it is interrupted, is cancelled all the same.
 *
 * Seen from outside this is a job like any other: whoever cancels its parent cancels it at once.
 */
internal class Upstream private constructor() : ThreadContextElement<Unit>, CoroutineContext.Key<Upstream> {
    // Its own key: flows may be collected within one another.
    override val key: CoroutineContext.Key<Upstream> get() = this

    private lateinit var job: Job

    // Guarded by this.
    private var dispatcher: CoroutineContext.Element? = null
    private var running = 0
    private var stopped = false
    private var cancelled = false

    /** Lets the flow end: nothing is taken any more. */
    fun stop() {
        val runs = synchronized(this) {
            if (stopped) return
            stopped = true
            cancelled = running == 0
            !cancelled
        }
        if (runs) cancelLater() else job.cancel()
    }

    /** What an emit throws instead of taking anything; null while it does. */
    fun refusal(): CancellationException? =
        if (synchronized(this) { stopped }) CancellationException("whoever took what this flow emits has enough") else null

    private fun cancelLater() {
        val patience = CoroutineScope(Dispatchers.Default).launch {
            delay(PATIENCE)
            job.cancel()
        }
        job.invokeOnCompletion { patience.cancel() }
    }

    /** A thread is about to run code of the flow. Who resumes it looks for a cancellation only after this. */
    override fun updateThreadContext(context: CoroutineContext) {
        val late = synchronized(this) {
            val own = context[ContinuationInterceptor]
            if (dispatcher == null) dispatcher = own
            if (own === dispatcher) running++
            cancelled
        }
        if (late) job.cancel() // whoever decided that may not have come to it yet
    }

    /** A thread has run code of the flow until it suspended or ended. */
    override fun restoreThreadContext(context: CoroutineContext, oldState: Unit) {
        val now = synchronized(this) {
            if (context[ContinuationInterceptor] === dispatcher) running--
            (stopped && running == 0 && !cancelled).also { if (it) cancelled = true }
        }
        if (now) job.cancel()
    }

    companion object {
        /** How long code may run on that neither emits nor suspends. */
        val PATIENCE = 10.seconds

        /** Begins to collect: [collection] does, in [scope]. Emits are possible in its dispatcher only, and that is what is watched. */
        fun start(scope: CoroutineScope, collection: suspend (Upstream) -> Unit): Upstream {
            val upstream = Upstream()
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
