// SPDX-License-Identifier: Apache-2.0
package org.arbalest.adbc.coroutines

import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.async
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeoutOrNull
import org.arbalest.device.adbc.AdbcException
import kotlin.time.Duration.Companion.milliseconds

/** How long a call that is to be given up has to return before the driver is asked again: it may have been asked before the call had begun. */
private val PATIENCE = 10.milliseconds

/**
 * Makes a call that blocks, on a [dispatcher]. When the coroutine is cancelled, [cancel] asks the driver to give it up, until the call returns: it is waited for, since what it uses is the
 * caller's. What it answers all the same is for [drop].
 */
internal suspend fun <T> calling(dispatcher: CoroutineDispatcher, cancel: () -> Unit, drop: (T) -> Unit, call: () -> T): T {
    currentCoroutineContext().ensureActive()
    val running = CoroutineScope(dispatcher).async { call() }
    try {
        return running.await()
    } catch (e: CancellationException) {
        withContext(NonCancellable) { running.giveUp(cancel, drop) }
        currentCoroutineContext().ensureActive()
        // Nobody cancelled the coroutine: dispatchers answer so when they run nothing any more.
        throw IllegalStateException("the dispatcher $dispatcher was shut down", e)
    }
}

private suspend fun <T> Deferred<T>.giveUp(cancel: () -> Unit, drop: (T) -> Unit) {
    while (!isCompleted) {
        try {
            cancel()
        } catch (_: AdbcException) {
            // It has not begun, or is over, or the driver cannot give it up: then it is waited for.
        } catch (_: IllegalStateException) {
            // What it is of was closed meanwhile.
        }
        withTimeoutOrNull(PATIENCE) { join() }
    }
    runCatching { await() }.onSuccess(drop)
}
