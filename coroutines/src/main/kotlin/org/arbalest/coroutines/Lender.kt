// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

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

@Suppress("UNCHECKED_CAST") // the compiled form of a suspending function
private val EMIT = FlowCollector<Any?>::emit as (FlowCollector<*>, Any?, Continuation<Unit>) -> Any?
