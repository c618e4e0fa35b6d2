// SPDX-License-Identifier: Apache-2.0
package org.arbalest.ipc.coroutines

import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.Dispatchers
import org.arbalest.coroutines.LendingFlow
import org.arbalest.coroutines.asFlow
import org.arbalest.coroutines.lendingFlow
import org.arbalest.device.RecordBatch
import org.arbalest.device.ipc.ArrowFile
import org.arbalest.device.ipc.IpcReadOptions
import java.io.InputStream
import java.nio.file.Path

/**
 * Returns the batches of an Arrow file as a cold flow. Each collection opens the file and closes it; see
 * [ArrowFile.open].
 *
 *     arrowFileFlow(path).collect { batch -> total += batch["price"].doubles().sum() }
 *
 * **Ownership.** The flow owns its batches, as [LendingFlow] describes. A batch that the collector retains keeps the
 * file's map alive. [LendingFlow.buffer] lets the flow run ahead of its collector.
 *
 * **Threads.** The file is opened, read and closed on [dispatcher], where these calls may block. The default is a
 * separate view of [Dispatchers.IO] for each collection. Batches are emitted in the collector's context.
 *
 * **Cancellation.** A cancellation waits until a read in progress ends. Its thread is interrupted.
 *
 * **Errors.** Collecting throws `IOException` if the file cannot be read,
 * [IpcException][org.arbalest.device.ipc.IpcException] if it is malformed, and [IllegalArgumentException] if it does
 * not have one of the chosen columns.
 *
 * @param path the file, which must not become shorter while it is open
 * @param options the options of each collection
 * @param dispatcher the dispatcher for all calls that may block; null for the default
 */
public fun arrowFileFlow(
    path: Path,
    options: IpcReadOptions = IpcReadOptions.defaults(),
    dispatcher: CoroutineDispatcher? = null,
): LendingFlow<RecordBatch> = lendingFlow {
    val here = dispatcher ?: Dispatchers.IO.limitedParallelism(1)
    opened(here) { ArrowFile.read(path, options) }.asFlow(here).collect { emit(it) }
}

/**
 * Returns the batches of an Arrow stream as a cold flow. Each collection calls [open], reads the stream to its end, and
 * closes it.
 *
 *     arrowStreamFlow { Socket(host, port).getInputStream() }.collect { batch -> … }
 *
 * **Ownership.** The flow owns the input from the return of [open] on, and closes it. It owns its batches, as
 * [LendingFlow] describes. A batch may outlive the stream. [LendingFlow.buffer] lets the flow run ahead of its
 * collector.
 *
 * **Threads.** [open] and all reads run on [dispatcher], where they may block. The default is a separate view of
 * [Dispatchers.IO] for each collection. Batches are emitted in the collector's context.
 *
 * **Cancellation.** A cancellation during a read interrupts its thread, and closes the input on another thread. Both
 * together end the reads of sockets, pipes and files. The collection waits for the read. [open] itself is only
 * interrupted.
 *
 * **Errors.** Collecting throws the exceptions of [open], `IOException` if the input cannot be read,
 * [IpcException][org.arbalest.device.ipc.IpcException] if it is malformed or ends early, and
 * [IllegalArgumentException] if the stream does not have one of the chosen columns. The input is closed first.
 *
 * @param options the options of each collection
 * @param dispatcher the dispatcher for all calls that may block; null for the default
 * @param open opens the input. A flow that is collected several times needs a new input for each collection
 */
public fun arrowStreamFlow(
    options: IpcReadOptions = IpcReadOptions.defaults(),
    dispatcher: CoroutineDispatcher? = null,
    open: () -> InputStream,
): LendingFlow<RecordBatch> = lendingFlow {
    val here = dispatcher ?: Dispatchers.IO.limitedParallelism(1)
    val opening = StreamOpening(options, open)
    opened(here, opening::giveUp, opening::run).asFlow(here).collect { emit(it) }
}
