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
import org.arbalest.device.DeviceArray
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import java.lang.foreign.MemorySegment
import java.util.concurrent.Executors

/** One batch, again and again, from a coroutine on one thread to a coroutine on another. */
internal class Pipe(columns: Int, private val prefetch: Int) : AutoCloseable {
    private val batch: DeviceArray = Batches.ours(columns, false)
    private val producing: ExecutorCoroutineDispatcher = thread("producer")
    private val consuming: ExecutorCoroutineDispatcher = thread("consumer")

    private fun thread(name: String) = Executors.newSingleThreadExecutor { Thread(it, name) }.asCoroutineDispatcher()

    /** Through an async stream, across the C ABI both ways; the rows that came. */
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

    /** Through a channel, which knows nothing of C. */
    fun throughAChannel(batches: Int): Long = runBlocking {
        val channel = Channel<DeviceArray>(prefetch, onUndeliveredElement = DeviceArray::close)
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
