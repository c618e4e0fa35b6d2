// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.ExecutorCoroutineDispatcher
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import org.arbalest.coroutines.asFlow
import org.arbalest.coroutines.lendingFlow
import org.arbalest.coroutines.produceTo
import org.arbalest.device.RecordBatch
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import java.lang.foreign.MemorySegment
import java.util.concurrent.Executors

/** A batch that passes again and again from a coroutine on one thread to a coroutine on another. */
internal class Pipe(columns: Int, private val prefetch: Int) : AutoCloseable {
    private val batch: RecordBatch = Batches.ours(columns, false)
    private val producing: ExecutorCoroutineDispatcher = thread("producer")
    private val consuming: ExecutorCoroutineDispatcher = thread("consumer")

    private fun thread(name: String) = Executors.newSingleThreadExecutor { Thread(it, name) }.asCoroutineDispatcher()

    /** Passes batches through an async stream, across the C ABI in both directions, and returns the number of rows. */
    fun throughTheAbi(batches: Int): Long = runBlocking {
        CData.importAsyncStream(CImport.DEVICE) { handler -> produce(handler, batches) }.use { stream ->
            var rows = 0L
            withContext(consuming) { stream.asFlow(prefetch).collect { rows += it.length() } }
            rows
        }
    }

    private fun CoroutineScope.produce(handler: MemorySegment, batches: Int) {
        launch(producing) {
            lendingFlow { repeat(batches) { emit(batch.retain()) } }.produceTo(handler, batch.schema())
        }
    }

    /** Passes batches through a channel, without C. */
    fun throughAChannel(batches: Int): Long = runBlocking {
        val channel = Channel<RecordBatch>(prefetch, onUndeliveredElement = RecordBatch::close)
        launch(producing) {
            repeat(batches) { channel.send(batch.retain()) }
            channel.close()
        }
        var rows = 0L
        withContext(consuming) { for (array in channel) array.use { rows += it.length() } }
        rows
    }

    override fun close() {
        batch.close()
        producing.close()
        consuming.close()
    }
}
