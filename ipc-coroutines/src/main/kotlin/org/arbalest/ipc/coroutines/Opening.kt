// SPDX-License-Identifier: Apache-2.0
package org.arbalest.ipc.coroutines

import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.launch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.ipc.ArrowStream
import org.arbalest.device.ipc.IpcReadOptions
import java.io.InputStream

/**
 * Runs [open] on [dispatcher]. A cancellation also calls [giveUp] on another thread, because an interrupt does not end
 * each blocked read. If the reader is opened nevertheless, it is closed.
 */
internal suspend fun opened(
    dispatcher: CoroutineDispatcher,
    giveUp: () -> Unit = {},
    open: () -> RecordBatchReader,
): RecordBatchReader {
    var reader: RecordBatchReader? = null
    var failed: Throwable? = null
    try {
        coroutineScope {
            val watch = launch(Dispatchers.IO.limitedParallelism(1), CoroutineStart.UNDISPATCHED) {
                try {
                    awaitCancellation()
                } finally {
                    failed = runCatching(giveUp).exceptionOrNull()
                }
            }
            blocking(dispatcher) { reader = open() }
            watch.cancel()
        }
    } catch (t: Throwable) {
        failed?.let(t::addSuppressed)
        reader?.let { late -> uncancelled(dispatcher) { late.closeInto(t) } }
        throw t
    }
    return checkNotNull(reader)
}

/** The opening of a stream, which another thread can end. */
internal class StreamOpening(private val options: IpcReadOptions, private val open: () -> InputStream) {
    private var input: InputStream? = null
    private var isGivenUp = false

    /** Opens the input, and reads the schema. The input is closed if this call throws. */
    fun run(): RecordBatchReader {
        val opened = open()
        try {
            synchronized(this) {
                if (isGivenUp) throw CancellationException("cancelled while the stream was opened")
                input = opened
            }
            return ArrowStream.read(opened, options)
        } catch (t: Throwable) {
            opened.closeInto(t)
            throw t
        } finally {
            synchronized(this) { input = null } // closed, or the reader's
        }
    }

    /** Closes the input, which usually ends a blocked read. */
    fun giveUp() {
        synchronized(this) {
            isGivenUp = true
            input
        }?.close()
    }
}

/** Closes this object. An exception is suppressed in [failure]. */
internal fun AutoCloseable.closeInto(failure: Throwable) {
    try {
        close()
    } catch (t: Throwable) {
        failure.addSuppressed(t)
    }
}
