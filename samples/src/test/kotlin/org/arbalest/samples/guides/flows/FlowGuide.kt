// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.flows

import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import org.arbalest.coroutines.*
import org.arbalest.device.*
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.types.Schema
import java.lang.foreign.MemorySegment
import java.util.concurrent.atomic.LongAdder

// The Kotlin of docs/guides/flow.md, except the program that it begins with.

suspend fun longBatches(reader: RecordBatchReader, rows: Long): List<RecordBatch> {
    val kept = mutableListOf<RecordBatch>()
    try {
        reader.asFlow().collect { batch ->
            if (batch.length() >= rows) kept.add(batch.retain())
        }
    } catch (e: Throwable) {
        kept.forEach(RecordBatch::close)
        throw e
    }
    return kept // the caller closes each
}

suspend fun rowsOf(reader: RecordBatchReader): Long {
    val rows = LongAdder()
    reader.asFlow().buffer(4).collectParallel(8) { batch -> rows.add(batch.length()) } // in any order
    return rows.sum()
}

suspend fun sums(reader: RecordBatchReader): List<Double> =
    reader.asFlow().mapParallel(8) { batch -> batch["price"].doubles().sum() }.toList() // in the batches' order

fun days(prices: List<DoubleArray>): LendingFlow<RecordBatch> = lendingFlow {
    for (day in prices) emit(Devices.cpu().batch { float64("price", day) }) // the flow owns the batch from here on
}

fun doubled(batches: Flow<RecordBatch>): LendingFlow<RecordBatch> = lendingFlow(batches) {
    batches.collect { batch ->
        val prices = batch["price"].doubles()
        emit(Devices.cpu().batch(prices.size) { float64("price") { prices.getOrNull(it)?.times(2) } })
    }
}

fun exportDays(prices: List<DoubleArray>, schema: Schema, out: MemorySegment) {
    days(prices).asReader(schema, context = Dispatchers.IO).use { CData.exportStream(it, out, CExport.DATA) }
}

suspend fun produceDays(prices: List<DoubleArray>, schema: Schema, handler: MemorySegment) {
    days(prices).produceTo(handler, schema) // returns after the consumer has released its handler
}

/** The channel that the guide describes: a failure loses no batch. */
suspend fun eachOnce(reader: RecordBatchReader, workers: Int, work: suspend (RecordBatch) -> Unit) {
    val queue = Channel<RecordBatch>(4, onUndeliveredElement = RecordBatch::close)
    try {
        coroutineScope {
            repeat(workers) { launch(Dispatchers.Default) { for (batch in queue) batch.use { work(it) } } }
            reader.asFlow().collect { queue.send(it.retain()) }
            queue.close() // the workers end when it is empty
        }
    } finally {
        queue.cancel() // closes the batches that a failure leaves in it
    }
}
