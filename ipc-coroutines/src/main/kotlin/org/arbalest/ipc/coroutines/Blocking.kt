// SPDX-License-Identifier: Apache-2.0
package org.arbalest.ipc.coroutines

import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.runInterruptible
import kotlinx.coroutines.withContext

/**
 * Runs [action] on [dispatcher], where it may block. A cancellation interrupts the thread, and waits for [action]. An
 * exception that follows from the interrupt is not reported as a failure.
 */
internal suspend fun <T> blocking(dispatcher: CoroutineDispatcher, action: () -> T): T = try {
    runInterruptible(dispatcher, action)
} catch (t: Throwable) {
    currentCoroutineContext().ensureActive()
    // The coroutine is not cancelled: a dispatcher that was shut down also throws CancellationException.
    if (t is CancellationException) throw IllegalStateException("the dispatcher $dispatcher was shut down", t)
    throw t
}

/**
 * Runs [action] on [dispatcher], even if the coroutine is cancelled, and returns its result or throws its exception.
 * With `NonCancellable + dispatcher` a cancellation would replace the result on the return to the caller. A dispatcher
 * that was shut down runs nothing; then [action] runs on another thread that may block.
 */
internal suspend fun <T> uncancelled(
    dispatcher: CoroutineDispatcher,
    action: () -> T,
): T = withContext(NonCancellable) {
    try {
        withContext(dispatcher) { action() }
    } catch (_: CancellationException) {
        withContext(Dispatchers.IO.limitedParallelism(1)) { action() }
    }
}
