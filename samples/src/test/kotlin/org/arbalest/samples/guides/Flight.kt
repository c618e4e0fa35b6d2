// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides

import org.apache.arrow.flight.BackpressureStrategy
import org.apache.arrow.flight.BackpressureStrategy.WaitResult.CANCELLED
import org.apache.arrow.flight.BackpressureStrategy.WaitResult.READY
import org.apache.arrow.flight.CallStatus
import org.apache.arrow.flight.FlightProducer.ServerStreamListener
import org.apache.arrow.flight.FlightStream
import org.apache.arrow.memory.BufferAllocator
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.arrow.ArrowReaders
import org.arbalest.device.arrow.ArrowSchemas
import org.arbalest.device.arrow.ArrowVectors
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionException

// A Flight server's answer and a Flight client's reader. docs/guides/arrow-java.md links here.

fun send(batches: RecordBatchReader, listener: ServerStreamListener, allocator: BufferAllocator): Thread {
    val pressure = BackpressureStrategy.CallbackBackpressureStrategy().apply { register(listener) }
    return Thread.startVirtualThread {
        try {
            ArrowReaders.toArrowReader(batches, allocator).use { reader ->
                listener.start(reader.vectorSchemaRoot, reader)
                while (reader.loadNextBatch()) {
                    when (pressure.waitForListener(0)) {
                        READY -> listener.putNext()
                        CANCELLED -> return@startVirtualThread
                        else -> throw CallStatus.UNAVAILABLE.withDescription("interrupted").toRuntimeException()
                    }
                }
                listener.completed()
            }
        } catch (t: Throwable) {
            // otherwise the client waits forever
            listener.error(t)
        }
    }
}

fun receive(stream: FlightStream): RecordBatchReader =
    RecordBatchReader.of(ArrowSchemas.toSchema(stream.schema, stream.dictionaryProvider), FlightBatches(stream))

class FlightBatches(private val stream: FlightStream) : DeviceArrayReader.Source<RecordBatch> {
    override fun next(): RecordBatch? =
        if (shielded { stream.next() }) ArrowVectors.toRecordBatch(stream.root, stream.dictionaryProvider) else null

    override fun cancel() = stream.cancel("the reader was closed", null)

    override fun close() = shielded { stream.close() }

    /**
     * Runs a call on a thread that nothing interrupts. An interrupt in Flight's call can lose the end of the stream:
     * Flight then waits for it forever.
     */
    private fun <T> shielded(call: () -> T): T = try {
        CompletableFuture.supplyAsync(call, Thread::startVirtualThread).join()
    } catch (e: CompletionException) {
        throw e.cause ?: e
    }
}
