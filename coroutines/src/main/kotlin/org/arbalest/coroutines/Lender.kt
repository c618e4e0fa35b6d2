// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.FlowCollector
import kotlin.coroutines.Continuation
import kotlin.coroutines.CoroutineContext
import kotlin.coroutines.intrinsics.COROUTINE_SUSPENDED
import kotlin.coroutines.intrinsics.startCoroutineUninterceptedOrReturn
import kotlin.coroutines.intrinsics.suspendCoroutineUninterceptedOrReturn
import kotlin.coroutines.jvm.internal.CoroutineStackFrame

/**
 * Emits each element to [collector], and closes it when the `emit` ends: `item.use { collector.emit(it) }`, without a
 * new continuation for each element.
 *
 * The emits of one coroutine are sequential, so this one continuation serves all of them, as in the collectors of
 * kotlinx.coroutines. An `emit` from another coroutine, which `flow` rejects, gets its own continuation.
 *
 * @param context the context of the collecting coroutine
 */
internal class Lender<T : AutoCloseable>(private val collector: FlowCollector<T>,
    override val context: CoroutineContext) :
    FlowCollector<T>, Continuation<Unit>, CoroutineStackFrame {
    // Owned by the coroutine; null while it does not emit.
    private var borrowed: T? = null
    private var emitter: Continuation<Unit>? = null

    override val callerFrame: CoroutineStackFrame? get() = emitter as? CoroutineStackFrame

    override fun getStackTraceElement(): StackTraceElement? = null

    override suspend fun emit(value: T): Unit = suspendCoroutineUninterceptedOrReturn { start(value, it) }

    private fun start(value: T, emitter: Continuation<Unit>): Any? {
        if (emitter.context !== context || borrowed != null) return apart(value, emitter)
        borrowed = value
        this.emitter = emitter
        val result = try {
            EMIT(collector, value, this)
        } catch (t: Throwable) {
            end(t)
            throw t
        }
        if (result !== COROUTINE_SUSPENDED) end(null)
        return result
    }

    private fun apart(value: T, emitter: Continuation<Unit>): Any? {
        val emit: suspend () -> Unit = { value.use { collector.emit(it) } }
        return emit.startCoroutineUninterceptedOrReturn(emitter)
    }

    /** Ends a suspended emit, on the thread on which the coroutine continues. */
    override fun resumeWith(result: Result<Unit>) {
        val to = checkNotNull(emitter)
        val failure = result.exceptionOrNull()
        val ended = try {
            end(failure)
            result
        } catch (t: Throwable) {
            Result.failure(t)
        }
        to.resumeWith(ended)
    }

    private fun end(failure: Throwable?) {
        val value = checkNotNull(borrowed)
        borrowed = null
        emitter = null
        try {
            value.close()
        } catch (t: Throwable) {
            if (failure == null) throw t
            failure.addSuppressed(t)
        }
    }
}

/**
 * Passes on elements. An emit from another context than [context], such as that of a `coroutineScope` before the end of
 * the flow, gets its own continuation.
 *
 * `flow` continues each emit by one object, for which a channel keeps a continuation with the job of its first emit. If
 * that job has completed, a later `send` that suspends is cancelled ("ScopeCoroutine has completed normally"):
 * `SafeCollector` and `CancellableContinuationImpl.installParentHandle` of kotlinx.coroutines 1.11.
 *
 * @param context the context of the collecting coroutine
 */
internal class ContinuationPerContext<T> private constructor(
    private val collector: FlowCollector<T>,
    private val context: CoroutineContext,
) : FlowCollector<T> {
    override suspend fun emit(value: T): Unit = suspendCoroutineUninterceptedOrReturn { pass(value, it) }

    private fun pass(value: T, emitter: Continuation<Unit>): Any? {
        if (emitter.context === context) return EMIT(collector, value, emitter)
        val emit: suspend () -> Unit = { collector.emit(value) }
        return emit.startCoroutineUninterceptedOrReturn(emitter)
    }

    companion object {
        /** Returns [flow], so that its collector gets a continuation for each context. */
        fun <T> of(flow: Flow<T>): Flow<T> = object : Flow<T> {
            override suspend fun collect(collector: FlowCollector<T>) =
                flow.collect(ContinuationPerContext(collector, currentCoroutineContext()))
        }
    }
}

@Suppress("UNCHECKED_CAST") // the compiled form of a suspending function
private val EMIT = FlowCollector<Any?>::emit as (FlowCollector<*>, Any?, Continuation<Unit>) -> Any?
