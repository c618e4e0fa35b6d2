// SPDX-License-Identifier: Apache-2.0
package org.arbalest.ipc.coroutines

import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.flow.Flow
import org.arbalest.coroutines.discard
import org.arbalest.device.RecordBatch
import org.arbalest.device.ipc.ArrowWriter
import org.arbalest.device.ipc.IpcWriteOptions
import org.arbalest.device.types.Schema
import java.io.OutputStream
import java.nio.file.Path

/**
 * Collects this flow, and writes its batches to an Arrow file; see [ArrowWriter.file].
 *
 *     arrowFileFlow(from).filterRows { it["price"].doubles().where { price -> price > 5 } }.writeArrowFile(to)
 *
 * **The file.** It appears at [path] when the flow has ended, and replaces an older file then. If the flow fails, a
 * batch cannot be written, or the coroutine is cancelled, no file is made, and an older file remains.
 *
 * **Ownership.** Each batch belongs to this call from its `emit` on, as in a collection by `asReader`: this call closes
 * it when it is written, and also on failure. Closing it again after the `emit`, as a
 * [LendingFlow][org.arbalest.coroutines.LendingFlow] does, has no effect. An emitter that needs the batch after the
 * `emit` emits `batch.retain()`. If this call fails before it collects, it [discards][discard] the flow.
 *
 * **Threads.** The flow is collected in the caller's context. The file is created, written and completed on
 * [dispatcher], where these calls may block. The flow waits while its batch is written; put a
 * [buffer][org.arbalest.coroutines.LendingFlow.buffer] before this call to prepare the next one meanwhile.
 *
 * **Cancellation.** A cancellation during a write interrupts its thread, and waits for the write. A cancellation while
 * the file is completed is too late: this call returns.
 *
 * @param schema the schema of every batch; null for that of the first batch
 * @param dispatcher the dispatcher for all calls that may block
 * @return the number of rows in the file
 * @throws NoSuchElementException if [schema] is null and the flow has no batch
 * @throws IllegalArgumentException if a batch has another schema
 * @throws java.io.IOException if the file cannot be written
 * @throws org.arbalest.device.DeviceException with the errors of [ArrowWriter.write]
 */
public suspend fun Flow<RecordBatch>.writeArrowFile(
    path: Path,
    schema: Schema? = null,
    options: IpcWriteOptions = IpcWriteOptions.defaults(),
    dispatcher: CoroutineDispatcher = Dispatchers.IO.limitedParallelism(1),
): Long {
    val sink = IpcSink(dispatcher) { ArrowWriter.file(path, it, options) }
    return sink.write(this, schema, "$path") { writer ->
        currentCoroutineContext().ensureActive()
        uncancelled(dispatcher) { writer.finish() }
    }
}

/**
 * Collects this flow, and writes its batches as an Arrow stream with its end mark; see [ArrowWriter.stream].
 *
 * **The output** stays open; this call flushes it at the end. If this call throws, the stream has no end mark. Arrow
 * lets a reader take the end of the bytes as the end of the stream, if it comes between two messages.
 *
 * **Ownership and threads** are as for [writeArrowFile].
 *
 * **Cancellation.** A cancellation during a write interrupts its thread, and waits for the write. An output that
 * ignores interrupts, such as that of a `Socket`, needs another thread that closes it.
 *
 * @param schema the schema of every batch; null for that of the first batch
 * @param dispatcher the dispatcher for all calls that may block
 * @return the number of rows in the stream
 * @throws NoSuchElementException if [schema] is null and the flow has no batch; then nothing was written
 * @throws IllegalArgumentException if a batch has another schema
 * @throws java.io.IOException if the output cannot be written
 * @throws org.arbalest.device.DeviceException with the errors of [ArrowWriter.write]
 */
public suspend fun Flow<RecordBatch>.writeArrowStream(
    output: OutputStream,
    schema: Schema? = null,
    options: IpcWriteOptions = IpcWriteOptions.defaults(),
    dispatcher: CoroutineDispatcher = Dispatchers.IO.limitedParallelism(1),
): Long {
    val sink = IpcSink(dispatcher) { ArrowWriter.stream(KeptOpen(output), it, options) }
    return sink.write(this, schema, "the stream") { writer ->
        blocking(dispatcher) {
            writer.finish()
            output.flush()
        }
    }
}

/** Writes one flow to a writer that [create] creates. */
private class IpcSink(private val dispatcher: CoroutineDispatcher, private val create: (Schema) -> ArrowWriter) {
    private var writer: ArrowWriter? = null

    suspend fun write(
        flow: Flow<RecordBatch>,
        schema: Schema?,
        target: String,
        complete: suspend (ArrowWriter) -> Unit,
    ): Long {
        var rows = 0L
        try {
            if (schema != null) {
                val _ = blocking(dispatcher) { writerOf(schema) }
            }
            flow.collect { emitted ->
                emitted.use { batch ->
                    blocking(dispatcher) { writerOf(batch.schema()).write(batch) }
                    rows += batch.length()
                }
            }
            complete(writer ?: throw NoSuchElementException("cannot write $target: the flow ended without a batch, " +
                "and its schema is unknown. Pass the schema to write a flow that may be empty"))
        } catch (t: Throwable) {
            uncancelled(dispatcher) {
                writer?.let { AutoCloseable(it::abandon).closeInto(t) }
                AutoCloseable { flow.discard() }.closeInto(t) // if the collection did not begin
            }
            throw t
        }
        writer?.let { uncancelled(dispatcher, it::close) }
        return rows
    }

    /** Returns the writer, which the first call creates. The field keeps it for its close, after a cancellation too. */
    private fun writerOf(schema: Schema): ArrowWriter = writer ?: create(schema).also { writer = it }
}

/** An output that stays open when the writer is closed. */
private class KeptOpen(private val output: OutputStream) : OutputStream() {
    override fun write(byte: Int) = output.write(byte)

    override fun write(bytes: ByteArray, offset: Int, length: Int) = output.write(bytes, offset, length)

    override fun flush() = output.flush()
}
